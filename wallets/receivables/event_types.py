"""Event types of what owners owe, and when each is emitted."""

EVENT_TYPES = {
    "debt.opened": "You, or one of your members, owe an amount, or more than before",
    "debt.repaid": "What you, or one of your members, owe was repaid or given up, or a part of it",
}
