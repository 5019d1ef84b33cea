"""Records in the state a test needs: organisations, wallets, withdrawals, orders, loans, staff."""
