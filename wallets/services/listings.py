"""Listing a token: the record, its units as a ledger asset, and where those units start.

Without a raise all units are the issuer's to hold and sell. With one, the units on offer wait in
the issuer's `unsold` account and are sold at the quote until the raise completes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from exchange.actors import Actor
from exchange.database import constraint_of
from exchange.errors import Conflict, InvalidRequest
from exchange.ids import uuid7
from exchange.models import DealAccess, Member, Token, TokenType
from exchange.numbers import TOKEN_DECIMALS
from exchange.services.token_terms import wrong_number, wrong_terms
from wallets.ledger import Leg, open_account, post_transfer, system_account
from wallets.models import AccountKind, TransferKind
from wallets.selectors.currencies import currencies

_ZERO = Decimal(0)
# What a listing says once and for all, in the token's currency; the rest are terms.
_MONEY = ("price_buy", "price_sell", "raise_amount")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What is listed. Units and amounts are decimals, percentages percent, `tenor` days.

    `raise_amount` above zero opens a primary raise of `offered` units (all, when None) at
    `price_buy`; otherwise the token starts with its raise complete.
    """

    name: str
    symbol: str
    currency: str
    investment_type: str
    investment_category: str
    total_supply: Decimal
    price_buy: Decimal
    price_sell: Decimal
    price_exchange: Decimal = _ZERO
    offered: Decimal | None = None
    raise_amount: Decimal = _ZERO
    secondaries: bool = False
    type: str = TokenType.PUBLIC
    deal_access: str = DealAccess.PUBLIC
    payout_frequency: str = ""
    image: str = ""
    listing_reference: str = ""
    creator_id: UUID | None = None
    min_buy: Decimal = _ZERO
    min_sell: Decimal = _ZERO
    max_buy: Decimal = _ZERO
    max_sell: Decimal = _ZERO
    min_trade_buy: Decimal = _ZERO
    min_trade_sell: Decimal = _ZERO
    max_trade_buy: Decimal = _ZERO
    max_trade_sell: Decimal = _ZERO
    buy_fee: Decimal = _ZERO
    sell_fee: Decimal = _ZERO
    carry: Decimal = _ZERO
    management_fee: Decimal = _ZERO
    discount: Decimal = _ZERO
    interest: Decimal = _ZERO
    dividend: Decimal = _ZERO
    tenor: int = 0
    valuation: Decimal = _ZERO
    post_raise_valuation: Decimal = _ZERO
    esop_token: bool = False


def list_token(*, issuer_id: UUID, listing: Listing, actor: Actor) -> Token:
    """The new token, its units issued to the issuer.

    Raises `InvalidRequest`, which names every bad field, or `Conflict` for a symbol in use.
    """
    token, wrong = _draft(issuer_id, listing)
    if wrong:
        raise InvalidRequest("; ".join(wrong))
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval('exchange_token_reference')")
            token.reference = cursor.fetchone()[0]
        try:
            with transaction.atomic():
                token.save(force_insert=True)
        except IntegrityError as error:
            if "symbol" in (constraint_of(error) or ""):
                raise Conflict(
                    f"A token with symbol {token.symbol} exists already", code="symbol_taken"
                ) from error
            raise
        with connection.cursor() as cursor:
            cursor.execute("SELECT open_token_units(%s)", [token.id])
        _issue(token, listing, actor)
        token.refresh_from_db()
    return token


def check_listing(*, issuer_id: UUID, listing: Listing) -> list[str]:
    """Why `list_token` would refuse the listing, apart from a symbol in use; [] if it would not."""
    return _draft(issuer_id, listing)[1]


def _issue(token: Token, listing: Listing, actor: Actor) -> None:
    offered = listing.total_supply if listing.offered is None else listing.offered
    unsold = offered if not token.completed_raise else _ZERO
    asset = str(token.id)
    legs = [Leg(system_account(asset, AccountKind.ISSUANCE), -listing.total_supply)]
    if not token.completed_raise:
        open_account(token.currency_id, AccountKind.RAISE, organisation_id=token.issuer_id)
        legs.append(
            Leg(open_account(asset, AccountKind.UNSOLD, organisation_id=token.issuer_id), unsold)
        )
    if listing.total_supply > unsold:
        held = open_account(asset, AccountKind.AVAILABLE, organisation_id=token.issuer_id)
        legs.append(Leg(held, listing.total_supply - unsold))
    # Sales of any kind book their fee here.
    system_account(token.currency_id, AccountKind.FEES)
    post_transfer(
        kind=TransferKind.UNITS_ISSUE,
        reference=f"token:{token.id}:issue",
        subject_id=token.id,
        actor=actor,
        memo=token.symbol,
        legs=legs,
    )


def _draft(issuer_id: UUID, listing: Listing) -> tuple[Token, list[str]]:
    """The token that `listing` makes, not saved, and what is wrong with it."""
    facts = currencies().get(listing.currency)
    wrong: list[str] = []
    if facts is None:
        wrong.append(f"currency must be one of [{', '.join(currencies())}]")
    else:
        wrong += _bad_numbers(listing, facts.decimals)
    in_raise = listing.raise_amount > 0
    offered = listing.total_supply if listing.offered is None else listing.offered
    if in_raise and not 0 < offered <= listing.total_supply:
        wrong.append("offered must be above 0 and not above total_supply")
    if in_raise and listing.secondaries:
        wrong.append("secondaries opens after the raise")
    if (
        listing.creator_id is not None
        and not Member.objects.filter(id=listing.creator_id, organisation_id=issuer_id).exists()
    ):
        wrong.append("creator must be a member of the issuer")
    now = timezone.now()
    values = asdict(listing)
    for name in ("currency", "offered"):
        del values[name]
    token = Token(
        **values,
        id=uuid7(),
        issuer_id=issuer_id,
        currency_id=listing.currency,
        reference=0,
        prev_price_buy=listing.price_buy,
        prev_price_sell=listing.price_sell,
        prev_price_exchange=listing.price_exchange,
        quoted_at=now,
        completed_raise=not in_raise,
        supply=_ZERO if in_raise else listing.total_supply,
        created_at=now,
        updated_at=now,
    )
    if facts is not None:
        wrong += wrong_terms(token, facts.decimals)
    try:
        token.clean_fields(exclude={"currency", "issuer", "creator", "reference", "document"})
    except ValidationError as error:
        wrong += [f"{name}: {' '.join(messages)}" for name, messages in error.message_dict.items()]
    return token, wrong


def _bad_numbers(listing: Listing, decimals: int) -> list[str]:
    """What is wrong with units, prices and the raise."""
    units = {"total_supply": listing.total_supply}
    if listing.offered is not None:
        units["offered"] = listing.offered
    numbers = [
        *((name, value, TOKEN_DECIMALS) for name, value in units.items()),
        *((name, getattr(listing, name), decimals) for name in _MONEY),
        ("price_exchange", listing.price_exchange, TOKEN_DECIMALS),
    ]
    wrong = [text for number in numbers if (text := wrong_number(*number))]
    return wrong + [
        f"{name} must be above 0"
        for name in ("total_supply", "price_buy", "price_sell")
        if getattr(listing, name) == 0
    ]
