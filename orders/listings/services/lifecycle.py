"""What staff decide about a token's trading: closing, exit, cancelling, the end of its raise.

All of it happens under the lock of the token, and cancels what stands in its book.
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
    """No new orders, and those in the book are cancelled; `reopen_token` undoes the first.

    Raises `Forbidden`, `TokenNotFound`, `StateConflict`; so do all functions here.
    """

    def end(token: Token, actor: Actor) -> None:
        if token.closed:
            raise StateConflict("The token is closed already")
        _cancel_orders(token, "The token was closed", actor)
        token.closed = True
        token.save(update_fields=["closed"])

    return _change_token(token_id, user, end)


def reopen_token(*, token_id: UUID, user: StaffUser) -> Token:
    """New orders are taken again."""

    def reopen(token: Token, _actor: Actor) -> None:
        if not token.closed:
            raise StateConflict("The token is not closed")
        token.closed = False
        token.save(update_fields=["closed"])

    return _change_token(token_id, user, reopen)


def open_secondaries(*, token_id: UUID, user: StaffUser) -> Token:
    """Holders may trade the token from now on. Only once its raise is complete."""

    def allow(token: Token, _actor: Actor) -> None:
        if token.secondaries:
            raise StateConflict("The token trades in the secondary market already")
        if not token.completed_raise:
            raise Rejected("The raise is not complete", code="raise_open")
        token.secondaries = True
        token.save(update_fields=["secondaries"])

    return _change_token(token_id, user, allow)


def exit_token(*, token_id: UUID, user: StaffUser) -> Token:
    """The investment has ended; units stay with their holders. Final."""

    def end(token: Token, actor: Actor) -> None:
        if token.exited:
            raise StateConflict("The token has exited already")
        if not token.completed_raise:
            raise Rejected("The raise is open: complete or cancel it first", code="raise_open")
        _cancel_orders(token, "The token has exited", actor)
        token.exited = True
        token.save(update_fields=["exited"])

    return _change_token(token_id, user, end)


def complete_raise(
    *, token_id: UUID, user: StaffUser, expected_version: str | None = None
) -> Token:
    """Ends the raise with what it has brought: proceeds and unsold units go to the issuer.

    With `expected_version` (from `raise_version`) it also raises `StateConflict` when something was
    sold or the raise completed since.
    """

    def complete(token: Token, actor: Actor) -> None:
        if token.completed_raise:
            raise StateConflict("The raise is complete already")
        fetch_one(
            "SELECT complete_raise(%s, %s) FROM act_as(%s, %s, %s)",
            [token.id, str(actor), *actor_parameters(actor)],
        )

    return _change_token(token_id, user, complete, expected_version)


def cancel_token(
    *, token_id: UUID, user: StaffUser, reason: str, expected_version: str | None = None
) -> Token:
    """Takes the token off the exchange. Final. `expected_version` is as for `complete_raise`.

    An open raise is undone: every buyer gets back what the purchase cost, fee included, and the
    units go back to the issuer and are retired with those not sold. Raises `Rejected`
    (`units_pledged`) while a buyer's units are not free, and `InvalidRequest` without a reason.
    """
    reason = clean_text(reason, missing="Cancelling needs a reason", max_length=300)

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
    actor = authorize_staff(user, PERMISSION, "You may not decide about a token's trading")
    with transaction.atomic():
        token = Token.objects.select_for_update(no_key=True).filter(id=token_id).first()
        if token is None:
            raise TokenNotFound
        if token.cancelled:
            raise StateConflict("The token is cancelled")
        if expected_version is not None and raise_version(token) != expected_version:
            raise StateConflict(
                "The raise went on since you looked. Nothing was done: look at it again, or close "
                "the token first, so that nothing is sold meanwhile"
            )
        change(token, actor)
        token.refresh_from_db()
    return token


def _cancel_orders(token: Token, reason: str, actor: Actor) -> None:
    # Before the token is saved, which takes the lock of the catalogue's version, the last of all.
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
                "not free to be taken back; release them first",
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
