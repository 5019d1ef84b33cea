"""How the admin writes amounts of an asset."""

from __future__ import annotations

from decimal import Decimal

from exchange.admin import show
from wallets.selectors.currencies import currencies


def money(amount: Decimal | None, asset: str) -> str:
    """`1,234.50 NGN`; a dash where there is no amount. Token units keep their own decimals."""
    if amount is None:
        return "-"
    facts = currencies().get(asset)
    return show.money(amount, facts.decimals if facts else 0, asset if facts else "units")
