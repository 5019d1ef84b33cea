"""Event types of conversions."""

from __future__ import annotations

EVENT_TYPES = {"conversion.completed": "Money of a wallet was converted into another currency"}
