"""Reconciliation of our payouts and balances with the provider's."""
