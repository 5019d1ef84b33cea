"""The currencies of wallets and payouts. They change by migration only, so they are read once."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from exchange.core.models import Currency
from exchange.core.numbers import format_grouped

# In the interface's order, as the migration that makes the rows has them: what schemas say before
# there is a database.
PAYOUT_CURRENCIES = ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS")
WALLET_CURRENCIES = (*PAYOUT_CURRENCIES, "USD")
# Currencies in which the provider tells the name of an account's holder.
NAME_RESOLVING_CURRENCIES = frozenset({"NGN"})


@dataclass(frozen=True, slots=True)
class CurrencyInfo:
    """A currency's decimals, and whether it is paid out."""

    code: str
    decimals: int
    country: str


@cache
def currencies() -> dict[str, CurrencyInfo]:
    """Every currency of wallets by its code, in the interface's order."""
    return {
        row.code: CurrencyInfo(row.code, row.decimals, row.country)
        for row in Currency.objects.order_by("position")
    }


def payout_currencies() -> tuple[str, ...]:
    """Codes of the currencies that can be paid out, in the interface's order."""
    return tuple(code for code, facts in currencies().items() if facts.country)


def resolves_names(currency: str) -> bool:
    """Whether the provider is asked for the account's name in this currency."""
    return currency in NAME_RESOLVING_CURRENCIES


def format_money(amount: Decimal | None, asset: str) -> str:
    """Write an amount as people read it: `1,234.50 NGN`; a dash where there is none.

    It has at least the currency's decimals, and every one the amount has. What is no currency is
    written in units.
    """
    if amount is None:
        return "-"
    facts = currencies().get(asset)
    return (
        f"{format_grouped(amount, facts.decimals)} {asset}"
        if facts
        else f"{format_grouped(amount)} units"
    )
