"""Event types of transfers between wallets."""

EVENT_TYPES = {"transfer.completed": "Money moved between two wallets of your organisation"}
