"""Errors of the ledger. Messages are those of the API contract."""

from decimal import Decimal

from django.db import DatabaseError

from exchange.core.database import violated_constraint
from exchange.core.errors import Rejected
from exchange.core.numbers import format_plain
from exchange.participants.errors import MemberClosed

# Of an account, and what the opening of one raises.
_CLOSED_CONSTRAINT = "account_of_closed_member"


class InsufficientBalance(Rejected):
    """The available balance does not cover the requested amount."""

    code = "insufficient_balance"

    def __init__(self, *, currency: str, available: Decimal, requested: Decimal) -> None:
        super().__init__(
            f"Insufficient {currency} balance. "
            f"Available: {format_plain(available)}, requested: {format_plain(requested)}"
        )


def closed_error(error: DatabaseError) -> MemberClosed | None:
    """Return the error of a movement to a member that was closed meanwhile; None for another."""
    return MemberClosed() if violated_constraint(error) == _CLOSED_CONSTRAINT else None
