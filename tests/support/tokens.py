"""Listed tokens for tests, made by the service that lists them."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from itertools import count
from typing import Any

from exchange.models import InvestmentCategory, InvestmentType, Organisation, Token
from tests.support.access import TESTER, make_organisation
from wallets.services.listings import Listing, list_token

_LISTING = {field.name for field in fields(Listing)}
_numbers = count(1)


def make_token(issuer: Organisation | None = None, **overrides: Any) -> Token:
    """A listed token: NGN, 1,000 units of 100 that the issuer holds, open to secondary trading.

    `overrides` are fields of `Listing`; with a `raise_amount` the units are unsold and
    `secondaries` is off. What is no field of `Listing` (`closed`, `exited`, `cancelled`, …) is
    set after the listing.
    """
    number = next(_numbers)
    listing: dict[str, Any] = {
        "name": f"Token {number}",
        "symbol": f"TKN{number}",
        "currency": "NGN",
        "investment_type": InvestmentType.SERVICE,
        "investment_category": InvestmentCategory.PRIVATE_BUSINESS,
        "total_supply": Decimal(1000),
        "price_buy": Decimal(100),
        "price_sell": Decimal(100),
        "secondaries": not overrides.get("raise_amount"),
    }
    after: dict[str, Any] = {}
    for name, value in overrides.items():
        (listing if name in _LISTING else after)[name] = value
    owner = issuer or make_organisation()
    token = list_token(issuer_id=owner.id, listing=Listing(**listing), actor=TESTER)
    if after:
        Token.objects.filter(id=token.id).update(**after)
        token.refresh_from_db()
    return token
