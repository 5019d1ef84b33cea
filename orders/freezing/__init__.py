"""Freezes and reversals of deposits, as far as they cancel orders, and their pages."""
