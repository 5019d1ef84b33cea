"""Payouts: execution through the provider, settlement, resolution."""
