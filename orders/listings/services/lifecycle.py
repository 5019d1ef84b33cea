"""Lifecycle of a token: close, reopen, halt, resume, exit, cancel, complete a raise, open trading.

One person closes, reopens and halts. The other transitions are those of `proposals`, by two people.
Every change runs under the lock of the token. Closing, exit and cancellation cancel open orders.
"""

from collections.abc import Callable
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from exchange.core.actors import Actor
from exchange.core.audit_context import actor_parameters
from exchange.core.database import fetch_one
from exchange.core.errors import DomainError, Rejected, StateConflict
from exchange.core.numbers import format_plain
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from orders.book.models import Order, OrderStatus, Trade
from orders.book.services import close_order
from orders.listings.models import TokenAction
from wallets.ledger.models import Account, AccountKind, TransferKind
from wallets.ledger.posting import (
    InsufficientFunds,
    Leg,
    open_account,
    post_transfer,
    system_account,
)

PERMISSION = "exchange.end_token"
NOT_ALLOWED = "You may not manage the lifecycle of tokens"
_MAX_REASON = 300


def close_token(*, token_id: UUID, user: StaffUser) -> Token:
    """Stop new orders and cancel open ones. `reopen_token` accepts orders again.

    Raises `Forbidden`, `TokenNotFound`, `StateConflict`, as `reopen_token`.
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


def halt_token(*, token_id: UUID, reason: str, user: StaffUser) -> Token:
    """Accept no orders; open ones stay, and can be cancelled. Two people resume trading.

    A raise stops selling. Liquidations, records and payments go on. Raises as `reopen_token`, and
    `InvalidRequest` without a reason.
    """
    why = clean_text(reason, missing="Enter a reason", max_length=_MAX_REASON)

    def halt(token: Token, _actor: Actor) -> None:
        if token.halted_at or token.exited:
            raise StateConflict("The token is halted already, or has exited")
        token.halted_at, token.halt_reason = timezone.now(), why
        token.save(update_fields=["halted_at", "halt_reason"])

    return _change_token(token_id, user, halt)


def lock_token(token_id: UUID) -> Token:
    """Return the token, locked. Raises `TokenNotFound`."""
    rows = Token.objects.select_for_update(no_key=True).filter(pk=token_id)
    return get_or_raise(rows, TokenNotFound)


def find_obstacle(token: Token, action: TokenAction) -> DomainError | None:
    """Return why the action is not possible: a `StateConflict`, or `Rejected` (`raise_open`)."""
    if conflict := _state_conflict(token, action):
        return StateConflict(conflict)
    if action in {TokenAction.SECONDARIES, TokenAction.EXIT} and not token.completed_raise:
        return Rejected("The raise is open: complete or cancel it first", code="raise_open")
    return None


def _state_conflict(token: Token, action: TokenAction) -> str:
    if token.cancelled:
        return "The token is cancelled"
    match action:
        case TokenAction.COMPLETE if token.completed_raise:
            return "The raise is already complete"
        case TokenAction.SECONDARIES if token.secondaries:
            return "Secondary trading is already open"
        case TokenAction.RESUME if not token.halted_at:
            return "The token is not halted"
        case TokenAction.SECONDARIES | TokenAction.EXIT if token.exited:
            return "The token has already exited"
    return ""


def _open_secondaries(token: Token, _actor: Actor, _why: str) -> None:
    token.secondaries = True
    token.save(update_fields=["secondaries"])


def _resume(token: Token, _actor: Actor, _why: str) -> None:
    token.halted_at, token.halt_reason = None, ""
    token.save(update_fields=["halted_at", "halt_reason"])


def _exit(token: Token, actor: Actor, _why: str) -> None:
    """End trading; holders keep their units. Final."""
    _cancel_orders(token, "The token has exited", actor)
    token.exited = True
    token.save(update_fields=["exited"])


def _complete_raise(token: Token, actor: Actor, _why: str) -> None:
    """Pay the proceeds, and give the unsold units, to the issuer."""
    fetch_one(
        "SELECT complete_raise(%s, %s) FROM act_as(%s, %s, %s)",
        [token.id, str(actor), *actor_parameters(actor)],
    )


def _cancel(token: Token, actor: Actor, why: str) -> None:
    """Delist the token. Final.

    An open raise is reversed: every buyer is refunded, fee included, and all units are retired.
    """
    _cancel_orders(token, "The token was cancelled", actor)
    if not token.completed_raise:
        _undo_raise(token, actor, why)
    token.cancelled = True
    token.secondaries = False
    token.save(
        update_fields=["cancelled", "secondaries", "supply", "total_raised", "total_allocated"]
    )


# Each takes the locked token, the actor and the explanation, once two people have approved it.
TRANSITIONS: dict[TokenAction, Callable[[Token, Actor, str], None]] = {
    TokenAction.COMPLETE: _complete_raise,
    TokenAction.SECONDARIES: _open_secondaries,
    TokenAction.RESUME: _resume,
    TokenAction.EXIT: _exit,
    TokenAction.CANCEL: _cancel,
}


def _change_token(token_id: UUID, user: StaffUser, change: Callable[[Token, Actor], None]) -> Token:
    actor = authorize_staff(user, PERMISSION, NOT_ALLOWED)
    with transaction.atomic():
        token = lock_token(token_id)
        if token.cancelled:
            raise StateConflict("The token is cancelled")
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
