"""Money and units: the ledger, banks, the payment provider, withdrawals and payouts."""
