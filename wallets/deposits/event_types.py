"""Event types of deposits."""

EVENT_TYPES = {
    "deposit.completed": "A deposit arrived and was credited",
    "deposit.cleared": "The money of a deposit became available",
    "deposit.disputed": "The payer's bank demands a deposit back; the amount is held",
    "deposit.dispute_closed": "A dispute was closed without taking the deposit back",
    "deposit.failed": "A deposit failed; nothing was credited",
    "deposit.reversed": "A deposit was taken back, or a part of it",
}
