"""Event types of freezes, and when each is emitted."""

EVENT_TYPES = {
    "freeze.placed": "The exchange froze one of your members, or your own wallet",
    "freeze.lifted": "A freeze of one of your members, or of your own wallet, was lifted",
}
