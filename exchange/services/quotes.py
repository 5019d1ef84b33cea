"""Quotes of tokens: one member of staff proposes prices, another approves them.

The approved quotes are the price history. Nothing else changes a token's prices: lending and
primary raises rely on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.database import constraint_of
from exchange.errors import Conflict, Forbidden, InvalidRequest, NotFound, Refused, TokenNotFound
from exchange.ids import uuid7
from exchange.models import Quote, QuoteStatus, StaffUser, Token
from exchange.numbers import LARGEST, TOKEN_DECIMALS, decimals_of
from exchange.words import given

_LONGEST_WORDS = 300


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of one unit in the token's currency; `exchange` is that currency's units per USD."""

    buy: Decimal
    sell: Decimal
    exchange: Decimal = Decimal(0)


def propose(*, token_id: UUID, prices: Prices, user: StaffUser, note: str = "") -> Quote:
    """Enters new prices; nothing changes until another person approves them.

    Raises `Forbidden`, `TokenNotFound`, `InvalidRequest`, or `Conflict` while another quote of
    the token waits.
    """
    _allowed(user, "exchange.propose_quote", "You may not propose quotes")
    token = Token.objects.select_related("currency").filter(id=token_id).first()
    if token is None:
        raise TokenNotFound
    _check(prices, token)
    note = given(note, longest=_LONGEST_WORDS)
    try:
        with transaction.atomic():
            return Quote.objects.create(
                id=uuid7(),
                token=token,
                buy=prices.buy,
                sell=prices.sell,
                exchange=prices.exchange,
                note=note,
                proposed_by=user,
                created_at=timezone.now(),
            )
    except IntegrityError as error:
        if constraint_of(error) == "quote_pending_once":
            raise Conflict(
                "Another quote of this token waits for a decision", code="quote_pending"
            ) from error
        raise


def approve(*, quote_id: UUID, user: StaffUser) -> Quote:
    """Another person approves, and the prices are in force; `prev_price` keeps the last.

    Raises `Forbidden`, `NotFound`, `Conflict`, `Refused` (`approver_not_independent`).
    """
    _allowed(user, "exchange.decide_quote", "You may not approve quotes")
    with transaction.atomic():
        quote = _pending(quote_id)
        if quote.proposed_by_id == user.pk:
            raise Refused(
                "Somebody else must approve what you proposed", code="approver_not_independent"
            )
        return _put_in_force(quote, user)


def reject(*, quote_id: UUID, user: StaffUser, reason: str) -> Quote:
    """Closes a proposal without effect. Whoever proposed it may do so too, whatever else they may.

    Raises as `approve`, and `InvalidRequest` without a reason.
    """
    with transaction.atomic():
        quote = _named(quote_id)
        if quote.proposed_by_id != user.pk:
            _allowed(user, "exchange.decide_quote", "You may not reject quotes")
        elif not (user.is_active and user.is_staff):
            raise Forbidden("You may not take back quotes")
        why = given(reason, otherwise="A rejection needs a reason", longest=_LONGEST_WORDS)
        _still_pending(quote)
        quote.reason = why
        return _close(quote, QuoteStatus.REJECTED, user)


def put_in_force_at_once(*, token_id: UUID, prices: Prices, note: str) -> Quote:
    """Prices set by a command or the demo world, without people. Raises as `propose`."""
    with transaction.atomic():
        token = Token.objects.select_related("currency").filter(id=token_id).first()
        if token is None:
            raise TokenNotFound
        _check(prices, token)
        quote = Quote.objects.create(
            id=uuid7(),
            token=token,
            buy=prices.buy,
            sell=prices.sell,
            exchange=prices.exchange,
            note=note,
            created_at=timezone.now(),
            # A proposal of staff that waits does not stand in the way of this one.
            status=QuoteStatus.APPROVED,
            decided_at=timezone.now(),
        )
        _apply(quote)
        return quote


def _put_in_force(quote: Quote, user: StaffUser) -> Quote:
    _apply(quote)
    return _close(quote, QuoteStatus.APPROVED, user)


def _apply(quote: Quote) -> None:
    # The lock of the token: matching and lending read prices under it.
    token = Token.objects.select_for_update(no_key=True).get(id=quote.token_id)
    token.prev_price_buy = token.price_buy
    token.prev_price_sell = token.price_sell
    token.prev_price_exchange = token.price_exchange
    token.price_buy = quote.buy
    token.price_sell = quote.sell
    token.price_exchange = quote.exchange
    token.quoted_at = timezone.now()
    token.save(
        update_fields=[
            "prev_price_buy",
            "prev_price_sell",
            "prev_price_exchange",
            "price_buy",
            "price_sell",
            "price_exchange",
            "quoted_at",
        ]
    )


def _close(quote: Quote, status: QuoteStatus, user: StaffUser) -> Quote:
    quote.status = status
    quote.decided_by = user
    quote.decided_at = timezone.now()
    quote.save(update_fields=["status", "decided_by", "decided_at", "reason"])
    return quote


def _pending(quote_id: UUID) -> Quote:
    quote = _named(quote_id)
    _still_pending(quote)
    return quote


def _named(quote_id: UUID) -> Quote:
    quote = Quote.objects.select_for_update(of=("self",), no_key=True).filter(id=quote_id).first()
    if quote is None:
        raise NotFound("Quote not found", code="quote_not_found")
    return quote


def _still_pending(quote: Quote) -> None:
    if quote.status != QuoteStatus.PENDING:
        by = f" by {quote.decided_by}" if quote.decided_by else ""
        raise Conflict(f"The quote is {quote.status}{by}, no longer Pending", code="state_conflict")


def _check(prices: Prices, token: Token) -> None:
    decimals = token.currency.decimals
    wrong = []
    for name, value, most in (
        ("buy", prices.buy, decimals),
        ("sell", prices.sell, decimals),
        ("exchange", prices.exchange, TOKEN_DECIMALS),
    ):
        if not value.is_finite() or not 0 <= value <= LARGEST:
            wrong.append(f"{name} must be from 0 to 1000000000000000")
        elif value == 0 and name != "exchange":
            wrong.append(f"{name} must be above 0")
        elif decimals_of(value) > most:
            wrong.append(f"{name} must not have more than {most} decimals")
    if wrong:
        raise InvalidRequest("; ".join(wrong))


def _allowed(user: StaffUser, permission: str, message: str) -> None:
    if not user.may(permission):
        raise Forbidden(message)
