"""Conversions between currencies: quotes, rates, positions and their limits."""
