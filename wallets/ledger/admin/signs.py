"""Display signs of ledger amounts."""

from decimal import Decimal

from wallets.ledger.models import AccountKind

SIGN = "Amounts are positive for what an account normally holds, negative for the opposite."


# Accounts with negative balances: the counterpart of owners' balances, and their debts.
_NEGATIVE_KINDS = frozenset(
    {
        AccountKind.CLEARING,
        AccountKind.EXPENSES,
        AccountKind.ISSUANCE,
        AccountKind.LOANS,
        AccountKind.RECEIVABLE,
    }
)


def natural_amount(amount: Decimal | None, account_kind: str) -> Decimal | None:
    """Return an amount with its display sign: positive for what such an account normally holds."""
    return -amount if amount and account_kind in _NEGATIVE_KINDS else amount
