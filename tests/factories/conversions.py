"""Rates that take effect at once, and conversions by the services."""

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

from tests.factories.configuration import set_setting
from tests.factories.wallets import SYSTEM, Wallet
from wallets.conversions.models import Conversion
from wallets.conversions.services import convert_money, quote_conversion

RATES = {"NGN": 1500, "KES": 129, "GHS": 12, "ZAR": 18, "UGX": 3700, "TZS": 2500}


def set_rates(**rates: str | int | Decimal) -> None:
    """Make the rates of all currencies effective, in units per USD; `rates` replaces some."""
    for currency, rate in {**RATES, **rates}.items():
        set_setting(f"{currency}_USD_RATE", rate)


def quote(
    wallet: Wallet, amount: str | int | Decimal, source: str = "NGN", target: str = "USD"
) -> dict[str, Any]:
    """Quote a conversion and return the record, its numbers as Decimals."""
    text = quote_conversion(
        organisation_id=wallet.organisation.id,
        from_currency=source,
        to_currency=target,
        amount=Decimal(amount),
        actor=SYSTEM,
    )
    found: dict[str, Any] = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    return found


def convert_quote(wallet: Wallet, quote_id: str) -> Conversion:
    """Convert money of `wallet` by a quote and return the conversion."""
    response = convert_money(
        organisation_id=wallet.organisation.id,
        member_id=wallet.member_id,
        quote_id=UUID(quote_id),
        actor=SYSTEM,
    )
    return Conversion.objects.get(id=json.loads(response.data)["_id"])


def convert(
    wallet: Wallet, amount: str | int | Decimal, source: str = "NGN", target: str = "USD"
) -> Conversion:
    """Quote a conversion, use the quote, and return the conversion."""
    return convert_quote(wallet, quote(wallet, amount, source, target)["quote_id"])
