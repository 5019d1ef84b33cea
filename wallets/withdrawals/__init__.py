"""Withdrawals: requests, review and approval."""
