"""Factories of records: organisations, wallets, withdrawals, orders, loans, staff."""
