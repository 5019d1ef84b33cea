"""Event types of deposits."""

from __future__ import annotations

EVENT_TYPES = {
    "deposit.completed": "A deposit arrived and was credited",
    "deposit.failed": "A deposit failed; nothing was credited",
    "deposit.reversed": "A deposit was taken back",
}
