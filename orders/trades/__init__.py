"""Trades: the fills of orders."""
