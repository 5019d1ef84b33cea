"""What the tests of the tool put faults into."""

from __future__ import annotations

LOWEST = 10


def is_enough(amount: int, fee: int = 0) -> bool:
    """Whether the amount is the lowest that is taken, or more, when the fee is paid."""
    if amount < 0:
        raise ValueError(amount)
    return amount - fee >= LOWEST
