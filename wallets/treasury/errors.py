"""Errors of treasury movements."""

from decimal import Decimal
from typing import ClassVar

from exchange.core.currencies import format_money
from exchange.core.errors import Rejected


class _Beyond(Rejected):
    """More than the exchange has of its own; `text` says how much that is."""

    text: ClassVar[str]

    def __init__(self, *, currency: str, held: Decimal) -> None:
        super().__init__(self.text.format(held=format_money(held, currency), currency=currency))


class BeyondOwnFunds(_Beyond):
    """What would leave the provider is not the exchange's own money."""

    code = "beyond_own_funds"
    text = "The exchange's own money at the payment provider is {held}. The rest belongs to clients"


class BeyondFeeIncome(_Beyond):
    """More than the fees earned and not yet paid out."""

    code = "beyond_fee_income"
    text = "Fee income not yet paid out is {held}"


class BeyondTaxWithheld(_Beyond):
    """More than the tax withheld and not yet remitted."""

    code = "beyond_tax_withheld"
    text = "Tax withheld and not yet remitted is {held}"


class BeyondPosition(_Beyond):
    """More than the position that the movement closes."""

    code = "beyond_position"
    text = "The position in {currency} is {held}. A movement can bring it to zero, not beyond"


REJECTIONS: dict[str, type[_Beyond]] = {
    error.code: error
    for error in (BeyondFeeIncome, BeyondOwnFunds, BeyondPosition, BeyondTaxWithheld)
}
