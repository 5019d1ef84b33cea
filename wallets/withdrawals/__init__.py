"""Withdrawals: asking for them, and deciding about them."""
