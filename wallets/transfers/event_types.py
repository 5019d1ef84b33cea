"""Event types of transfers between wallets."""

from __future__ import annotations

EVENT_TYPES = {"transfer.completed": "Money moved between two wallets of your organisation"}
