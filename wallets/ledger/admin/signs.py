"""The sign of an amount in the ledger, as people read it."""

from __future__ import annotations

from decimal import Decimal

from wallets.ledger.models import AccountKind

SIGN = "Amounts are positive for what an account normally holds, negative for the opposite."


# The ledger keeps these below zero, against what owners hold and the exchange has earned.
_NEGATIVE_KINDS = frozenset(
    {AccountKind.CLEARING, AccountKind.EXPENSES, AccountKind.ISSUANCE, AccountKind.LOANS}
)


def natural_amount(amount: Decimal | None, account_kind: str) -> Decimal | None:
    """An entry or a balance of the ledger as people read it: positive for what an account of this
    kind normally holds.
    """
    return -amount if amount and account_kind in _NEGATIVE_KINDS else amount
