"""Errors of treasury movements."""

from decimal import Decimal

from exchange.core.currencies import format_money
from exchange.core.errors import Rejected


class BeyondOwnFunds(Rejected):
    """What would leave the provider is not the exchange's own money."""

    code = "beyond_own_funds"

    def __init__(self, *, currency: str, held: Decimal) -> None:
        super().__init__(
            f"The exchange's own money at the payment provider is {format_money(held, currency)}."
            " The rest belongs to clients"
        )


class BeyondFeeIncome(Rejected):
    """More than the fees earned and not yet paid out."""

    code = "beyond_fee_income"

    def __init__(self, *, currency: str, held: Decimal) -> None:
        super().__init__(f"Fee income not yet paid out is {format_money(held, currency)}")


class BeyondTaxWithheld(Rejected):
    """More than the tax withheld and not yet remitted."""

    code = "beyond_tax_withheld"

    def __init__(self, *, currency: str, held: Decimal) -> None:
        super().__init__(f"Tax withheld and not yet remitted is {format_money(held, currency)}")


class BeyondPosition(Rejected):
    """More than the position that the movement closes."""

    code = "beyond_position"

    def __init__(self, *, currency: str, held: Decimal) -> None:
        super().__init__(
            f"The position in {currency} is {format_money(held, currency)}. A movement can bring it"
            " to zero, not beyond"
        )
