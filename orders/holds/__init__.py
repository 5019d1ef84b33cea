"""Freezing an owner, which cancels its orders, and the pages of freezes."""
