"""Refusals of the ledger. Messages are the interface's, to the letter."""

from __future__ import annotations

from decimal import Decimal

from exchange.core.errors import Rejected
from exchange.core.numbers import format_plain


class InsufficientBalance(Rejected):
    """The wallet holds less than was asked for."""

    code = "insufficient_balance"

    def __init__(self, *, currency: str, available: Decimal, requested: Decimal) -> None:
        super().__init__(
            f"Insufficient {currency} balance. "
            f"Available: {format_plain(available)}, requested: {format_plain(requested)}"
        )
