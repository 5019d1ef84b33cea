"""Event types of withdrawals."""

EVENT_TYPES = {
    "withdrawal.created": "A withdrawal was requested",
    "withdrawal.approved": "A withdrawal was approved and is queued for payout",
    "withdrawal.rejected": "A withdrawal was rejected; its amount is available again",
    "withdrawal.cancelled": "A withdrawal was cancelled; its amount is available again",
    "withdrawal.processing": "A withdrawal was sent to the payment provider",
    "withdrawal.unknown": "The outcome of a payout is not known yet; it is looked into",
    "withdrawal.completed": "A withdrawal was paid out",
    "withdrawal.failed": "A withdrawal failed; its amount is available again",
    "withdrawal.reversed": "The bank returned a withdrawal that had been paid out",
}
