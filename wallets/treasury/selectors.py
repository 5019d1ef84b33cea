"""Selectors of the exchange's own money."""

from dataclasses import dataclass
from decimal import Decimal

from exchange.core.database import fetch_one


@dataclass(frozen=True, slots=True)
class TreasuryBalances:
    """The exchange's own money in one currency.

    `own` is what the provider holds less what belongs to clients: fees less charges, treasury,
    position, and what owners owe. `tax` is withheld for the authorities.
    """

    fees: Decimal
    position: Decimal
    treasury: Decimal
    own: Decimal
    tax: Decimal


def lock_treasury() -> None:
    """Lock the exchange's own money and the tax that it holds until the transaction ends."""
    fetch_one("SELECT lock_treasury()")


def treasury_balances(currency: str) -> TreasuryBalances:
    """Return the exchange's own money in `currency`."""
    row = fetch_one(
        "SELECT fees, position, treasury, own, tax FROM treasury_balances(%s)", [currency]
    )
    return TreasuryBalances(*row)  # type: ignore[misc]
