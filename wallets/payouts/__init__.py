"""Payouts: paying approved withdrawals through the provider, settling, resolving."""
