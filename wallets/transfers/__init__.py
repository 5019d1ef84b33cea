"""Transfers between the wallets of an organisation and its members."""
