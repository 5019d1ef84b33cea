"""Trades."""
