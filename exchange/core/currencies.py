"""Currencies of wallets and payouts, read once: they change by migration only."""

from decimal import Decimal
from functools import cache

from exchange.core.models import Currency
from exchange.core.numbers import format_grouped

# In the interface's order, the same as the migration's rows: schemas need them without a database.
PAYOUT_CURRENCIES = ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS")
WALLET_CURRENCIES = (*PAYOUT_CURRENCIES, "USD")
# Currencies in which the provider issues account numbers that payers transfer to.
VIRTUAL_ACCOUNT_CURRENCIES = ("NGN", "GHS")
# Currencies in which the provider returns the name of an account's holder.
NAME_RESOLVING_CURRENCIES = frozenset({"NGN"})


@cache
def currencies() -> dict[str, Currency]:
    """Return all wallet currencies by code, in the interface's order."""
    return {row.code: row for row in Currency.objects.order_by("position")}


def payout_currencies() -> tuple[str, ...]:
    """Return the codes of the payout currencies, in the interface's order."""
    return tuple(code for code, facts in currencies().items() if facts.country)


def resolves_names(currency: str) -> bool:
    """Return whether the provider resolves account names in this currency."""
    return currency in NAME_RESOLVING_CURRENCIES


def format_money(amount: Decimal | None, asset: str) -> str:
    """Format an amount for people: `1,234.50 NGN`, or `5 units` of a token; `-` for None.

    Shows at least the currency's decimals, and all that the amount has.
    """
    if amount is None:
        return "-"
    facts = currencies().get(asset)
    return (
        f"{format_grouped(amount, facts.decimals)} {asset}"
        if facts
        else f"{format_grouped(amount)} units"
    )


def format_paid(amount: Decimal, currency: str) -> str:
    """Format an amount that was paid in any currency, also one without wallets."""
    if currency in currencies():
        return format_money(amount, currency)
    return f"{format_grouped(amount, 2)} {currency}"
