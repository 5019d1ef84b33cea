"""Members and wallets as the API shows them, with what blocks their owners."""
