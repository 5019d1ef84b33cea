"""Errors of withdrawals. The messages are part of the interface."""

from decimal import Decimal

from exchange.core.errors import NotFound, Rejected
from exchange.core.numbers import format_plain


class BelowMinimum(Rejected):
    """The amount is below the minimum of the currency."""

    code = "below_minimum"

    def __init__(self, *, currency: str, minimum: Decimal) -> None:
        super().__init__(f"Cannot withdraw less than {format_plain(minimum)} {currency}")


class FeeExceedsAmount(Rejected):
    """The fee leaves nothing to pay out."""

    code = "fee_exceeds_amount"

    def __init__(self, *, currency: str, fee: Decimal, amount: Decimal) -> None:
        super().__init__(
            f"The withdrawal fee of {format_plain(fee)} {currency} leaves nothing to pay out "
            f"of {format_plain(amount)} {currency}"
        )


class WithdrawalNotFound(NotFound):
    """The calling organisation has no such withdrawal."""

    code = "withdrawal_not_found"
    message = "Withdrawal not found"
