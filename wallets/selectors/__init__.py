"""Reads of wallets, withdrawals and banks. Nothing here writes."""
