"""Tokens: listed by the service, or bulk rows without units."""

from dataclasses import fields
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils import timezone

from exchange.core.ids import uuid7
from exchange.participants.models import Organisation
from exchange.tokens.models import InvestmentCategory, InvestmentType, Token
from orders.listings.services.listing import Listing, list_token
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.lifecycle import set_flags
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import Wallet
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account

_LISTING = {field.name for field in fields(Listing)}
_numbers = count(1)


def make_token(issuer: Organisation | None = None, **overrides: Any) -> Token:
    """List a token in NGN: 1,000 units of 100 held by the issuer, open to secondary trading.

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
    # Who sets one price only gets the other one to go with it.
    if "price_buy" not in overrides:
        listing["price_buy"] = max(listing["price_buy"], overrides.get("price_sell", 0))
    elif "price_sell" not in overrides:
        listing["price_sell"] = min(listing["price_sell"], overrides["price_buy"])
    after: dict[str, Any] = {}
    for name, value in overrides.items():
        (listing if name in _LISTING else after)[name] = value
    owner = issuer or make_organisation()
    token = list_token(issuer_id=owner.id, listing=Listing(**listing), actor=TESTER)
    if after:
        set_flags(token, **after)
    return token


def give_units(token: Token, to: Wallet, units: str | int | Decimal) -> None:
    """Move units of `token` from its issuer, as if they had been bought."""
    asset = str(token.id)
    issuers = open_account(asset, AccountKind.AVAILABLE, organisation_id=token.issuer_id)
    theirs = open_account(
        asset,
        AccountKind.AVAILABLE,
        organisation_id=to.organisation.id,
        member_id=to.member_id,
    )
    post_unjustified(
        kind=TransferKind.UNITS_ISSUE,
        reference=f"gift-{next(_numbers)}",
        subject_id=token.id,
        actor=TESTER,
        legs=[Leg(issuers, -Decimal(units)), Leg(theirs, Decimal(units))],
    )


def bare_token(issuer: Organisation, **values: Any) -> Token:
    """Return an unsaved token without units, for `bulk_create`."""
    number = next(_numbers)
    now = timezone.now()
    given = {
        "name": f"Token {number}",
        "symbol": f"TKN{number}",
        "currency_id": "NGN",
        "investment_type": InvestmentType.SERVICE,
        "investment_category": InvestmentCategory.PRIVATE_BUSINESS,
        "completed_raise": True,
        "created_at": now,
        "updated_at": now,
    }
    return Token(id=uuid7(), reference=-number, issuer=issuer, **{**given, **values})


def fill_tokens(first: int, last: int) -> None:
    """Insert tokens number `first` to `last`, always the same ones (see `tokens.sql`)."""
    with connection.cursor() as cursor:
        cursor.execute(_FILL, {"first": first, "last": last})


_FILL = Path(__file__).with_suffix(".sql").read_text()
