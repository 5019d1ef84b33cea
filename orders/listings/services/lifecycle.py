"""Lifecycle of a token: close, reopen, exit, cancel, complete the raise, open secondary trading.

Every change runs under the lock of the token. Closing, exit and cancellation cancel open orders.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from uuid import UUID

from django.db import transaction

from exchange.core.actors import Actor
from exchange.core.audit_context import actor_parameters
from exchange.core.database import fetch_one
from exchange.core.errors import Rejected, StateConflict
from exchange.core.numbers import format_plain
from exchange.core.text import clean_text
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from orders.book.models import Order, OrderStatus
from orders.book.services import close_order
from orders.listings.selectors import raise_version
from orders.trades.models import Trade
from wallets.ledger.models import Account, AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    open_account,
    post_transfer,
    system_account,
)

PERMISSION = "exchange.end_token"


def close_token(*, token_id: UUID, user: StaffUser) -> Token:
    """Stop new orders and cancel open ones. `reopen_token` accepts orders again.

    Raises `Forbidden`, `TokenNotFound`, `StateConflict`, as do all functions here.
    """

    def end(token: Token, actor: Actor) -> None:
        if token.closed:
            raise StateConflict("The token is already closed")
        _cancel_orders(token, "The token was closed", actor)
        token.closed = True
        token.save(update_fields=["closed"])

    return _change_token(token_id, user, end)


def reopen_token(*, token_id: UUID, user: StaffUser) -> Token:
    """Accept new orders again."""

    def reopen(token: Token, _actor: Actor) -> None:
        if not token.closed:
            raise StateConflict("The token is not closed")
        token.closed = False
        token.save(update_fields=["closed"])

    return _change_token(token_id, user, reopen)


def open_secondaries(*, token_id: UUID, user: StaffUser) -> Token:
    """Open secondary trading, once the raise is complete."""

    def allow(token: Token, _actor: Actor) -> None:
        if token.secondaries:
            raise StateConflict("Secondary trading is already open")
        if not token.completed_raise:
            raise Rejected("The raise is not complete", code="raise_open")
        token.secondaries = True
        token.save(update_fields=["secondaries"])

    return _change_token(token_id, user, allow)


def exit_token(*, token_id: UUID, user: StaffUser) -> Token:
    """End trading; holders keep their units. Final."""

    def end(token: Token, actor: Actor) -> None:
        if token.exited:
            raise StateConflict("The token has already exited")
        if not token.completed_raise:
            raise Rejected("The raise is open: complete or cancel it first", code="raise_open")
        _cancel_orders(token, "The token has exited", actor)
        token.exited = True
        token.save(update_fields=["exited"])

    return _change_token(token_id, user, end)


def complete_raise(
    *, token_id: UUID, user: StaffUser, expected_version: str | None = None
) -> Token:
    """Complete the raise: its proceeds and unsold units go to the issuer.

    With `expected_version` (from `raise_version`) it also raises `StateConflict` when something was
    sold or the raise completed since.
    """

    def complete(token: Token, actor: Actor) -> None:
        if token.completed_raise:
            raise StateConflict("The raise is already complete")
        fetch_one(
            "SELECT complete_raise(%s, %s) FROM act_as(%s, %s, %s)",
            [token.id, str(actor), *actor_parameters(actor)],
        )

    return _change_token(token_id, user, complete, expected_version)


def cancel_token(
    *, token_id: UUID, user: StaffUser, reason: str, expected_version: str | None = None
) -> Token:
    """Cancel the token. Final. `expected_version` is as for `complete_raise`.

    An open raise is reversed: every buyer is refunded, fee included, and all units are retired.
    Raises `Rejected` (`units_pledged`) while a buyer's units are not available, and
    `InvalidRequest` without a reason.
    """
    reason = clean_text(reason, missing="Enter a reason for the cancellation", max_length=300)

    def cancel(token: Token, actor: Actor) -> None:
        _cancel_orders(token, "The token was cancelled", actor)
        if not token.completed_raise:
            _undo_raise(token, actor, reason)
        token.cancelled = True
        token.secondaries = False
        token.save(
            update_fields=[
                "cancelled",
                "secondaries",
                "supply",
                "total_raised",
                "total_allocated",
            ]
        )

    return _change_token(token_id, user, cancel, expected_version)


def _change_token(
    token_id: UUID,
    user: StaffUser,
    change: Callable[[Token, Actor], None],
    expected_version: str | None = None,
) -> Token:
    actor = authorize_staff(user, PERMISSION, "You may not manage the lifecycle of tokens")
    with transaction.atomic():
        token = Token.objects.select_for_update(no_key=True).filter(id=token_id).first()
        if token is None:
            raise TokenNotFound
        if token.cancelled:
            raise StateConflict("The token is cancelled")
        if expected_version is not None and raise_version(token) != expected_version:
            raise StateConflict(
                "The raise has changed since you opened the page; nothing was done. Review it, "
                "or close the token first to stop sales"
            )
        change(token, actor)
        token.refresh_from_db()
    return token


def _cancel_orders(token: Token, reason: str, actor: Actor) -> None:
    # Before the token is saved: saving locks the catalogue's version, the last in lock order.
    fetch_one("SELECT lock_accounts_of_token(%s)", [token.id])
    active = Order.objects.filter(token=token, status=OrderStatus.ACTIVE).order_by("seq")
    for order_id in list(active.values_list("id", flat=True)):
        close_order(order_id, reason, actor)


def _undo_raise(token: Token, actor: Actor, reason: str) -> None:
    sales = list(
        Trade.objects.filter(token=token, sell_order__isnull=True)
        .select_related("buy_order")
        .order_by("seq")
    )
    asset = str(token.id)
    proceeds = open_account(token.currency_id, AccountKind.RAISE, organisation_id=token.issuer_id)
    unsold = open_account(asset, AccountKind.UNSOLD, organisation_id=token.issuer_id)
    fees = system_account(token.currency_id, AccountKind.FEES)
    for sale in sales:
        buyer = sale.buy_order
        money, units = (
            open_account(
                kind_of,
                AccountKind.AVAILABLE,
                organisation_id=buyer.organisation_id,
                member_id=buyer.member_id,
            )
            for kind_of in (token.currency_id, asset)
        )
        legs = [
            Leg(money, sale.buyer_value + sale.buyer_fee),
            Leg(proceeds, -sale.seller_value),
            Leg(fees, -sale.buyer_fee),
            Leg(units, -sale.tokens),
            Leg(unsold, sale.tokens),
        ]
        try:
            post_transfer(
                kind=TransferKind.RAISE_REFUND,
                reference=f"trade:{sale.id}:refund",
                subject_id=sale.id,
                actor=actor,
                memo=reason,
                legs=[leg for leg in legs if leg.amount],
            )
        except InsufficientFunds as error:
            raise Rejected(
                f"{format_plain(sale.tokens)} units bought by "
                f"{buyer.member or buyer.organisation} are "
                "not available; release them first",
                code="units_pledged",
            ) from error
    _retire_units(unsold, token, actor)
    token.supply = token.total_raised = token.total_allocated = Decimal(0)


def _retire_units(unsold: UUID, token: Token, actor: Actor) -> None:
    left = Account.objects.get(id=unsold).balance or Decimal(0)
    if left:
        post_transfer(
            kind=TransferKind.UNITS_RETIRE,
            reference=f"token:{token.id}:retire",
            subject_id=token.id,
            actor=actor,
            memo=token.symbol,
            legs=[
                Leg(unsold, -left),
                Leg(system_account(str(token.id), AccountKind.ISSUANCE), left),
            ],
        )
