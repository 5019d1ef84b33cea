"""Reads of orders, books and trades. Nothing here writes."""
