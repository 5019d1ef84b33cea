"""Errors of the ledger. Messages are those of the API contract."""

from __future__ import annotations

from decimal import Decimal

from exchange.core.errors import Rejected
from exchange.core.numbers import format_plain


class InsufficientBalance(Rejected):
    """The available balance does not cover the requested amount."""

    code = "insufficient_balance"

    def __init__(self, *, currency: str, available: Decimal, requested: Decimal) -> None:
        super().__init__(
            f"Insufficient {currency} balance. "
            f"Available: {format_plain(available)}, requested: {format_plain(requested)}"
        )
