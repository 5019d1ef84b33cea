"""Sample code for the tests of this tool."""

LOWEST = 10


def is_enough(amount: int, fee: int = 0) -> bool:
    """Return whether the amount reaches the minimum after the fee."""
    if amount < 0:
        raise ValueError(amount)
    return amount - fee >= LOWEST
