"""Refusals of the ledger. Messages are the interface's, to the letter."""

from __future__ import annotations

from decimal import Decimal

from exchange.core.errors import Refused
from exchange.core.numbers import plain


class InsufficientBalance(Refused):
    """The wallet holds less than was asked for."""

    code = "insufficient_balance"

    def __init__(self, *, currency: str, available: Decimal, requested: Decimal) -> None:
        super().__init__(
            f"Insufficient {currency} balance. "
            f"Available: {plain(available)}, requested: {plain(requested)}"
        )
