"""Place and cancel orders. All work under the lock of a token is one PostgreSQL call."""

import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from exchange.core import task_notifier
from exchange.core.actors import Actor
from exchange.core.audit_context import actor_parameters
from exchange.core.batching import BatchedFunction, Batcher
from exchange.core.database import fetch_one, read_rejection, sqlstate, violated_constraint
from exchange.core.errors import DomainError
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_error,
    wait_milliseconds,
)
from exchange.core.references import ClientReferenceTaken
from orders.book.commands import PlaceOrder
from orders.book.errors import (
    DuplicateClientOrderId,
    OrderNotActive,
    OrderNotFound,
    build_rejection,
)
from orders.book.models import Order, OrderStatus

# SQLSTATE that `enter_orders` raises when it rejects an order.
_REJECTED = "XO400"
# Rolled back because of another transaction: serialization failure, deadlock.
_RETRYABLE_STATES = ("40001", "40P01")
# The available balance was spent, or the member closed, after `enter_orders` read it. A retry reads
# it again.
_CHANGED = ("account_balance_not_negative", "account_of_closed_member")
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.05
# The next run takes more.
_EXPIRED_AT_ONCE = 1000
# One batcher per token. A lone order is placed immediately; orders that arrive while it runs share
# the next transaction.
_batchers: WeakValueDictionary[UUID, Batcher[PlaceOrder, StoredResponse | None]] = (
    WeakValueDictionary()
)

_Result = TypeVar("_Result")

_enter_orders = BatchedFunction("enter_orders", 201, "Order placed")
_amend_orders = BatchedFunction("enter_orders", 200, "Order amended")


def place_order(command: PlaceOrder, *, claim: IdempotencyClaim | None = None) -> StoredResponse:
    """Place an order: match and settle it against the book, and reserve the remainder.

    The owner is the member, or the organisation without one. The response data is the order after
    matching. With a `claim`, a repeated call returns the first response.

    Raises `TokenNotFound`, `UserNotFound`, `MemberClosed`, `Rejected` with the rule's code (also
    for insufficient funds), `DuplicateClientOrderId`, `ClientReferenceTaken`, and
    `IdempotencyKeyReused` or `RequestInProgress` for the claim. A rejected order moves and reserves
    nothing.
    """
    command = command.with_key(claim)
    if connection.in_atomic_block:
        return _place_single(command)
    book = _batchers.setdefault(
        command.token, Batcher(partial(_enter_orders.run_batch, run_single=_place_single))
    )
    return book.submit(command) or _place_single(command)


def amend_order(
    *,
    order_id: UUID,
    organisation_id: UUID,
    actor: Actor,
    price: Decimal | None = None,
    tokens: Decimal | None = None,
    expected_filled: Decimal | None = None,
    claim: IdempotencyClaim | None = None,
) -> StoredResponse:
    """Give an open order another `price`, or another total of `tokens`, filled units included.

    The rules of placing apply to the whole, and a new price may match at once. The order keeps its
    place in the queue only if nothing but its total shrinks. The response data is the order.

    Raises what `place_order` raises, `OrderNotFound`, `Rejected` `below_filled`, and `Conflict`:
    `state_conflict` when the order is closed, `filled_changed` where other than `expected_filled`
    is filled, `terms_changed` where fees or limits of the token changed since it was placed and it
    would grow or move. Then the order is as it was.
    """
    found = Order.objects.filter(id=order_id, organisation_id=organisation_id).first()
    if found is None:
        raise OrderNotFound
    command = PlaceOrder(
        organisation=organisation_id,
        member=found.member_id,
        actor=str(actor),
        token=found.token_id,
        type=found.type,
        price=price,
        tokens=tokens,
        amends=order_id,
        expected_filled=expected_filled,
    )
    return _place_single(command.with_key(claim), _amend_orders)


def _place_single(
    command: PlaceOrder, enter_orders: BatchedFunction = _enter_orders
) -> StoredResponse:
    """Place or amend one order, translating database errors."""
    try:
        responses = retry_if_rolled_back(partial(enter_orders.run, [command], wait_milliseconds()))
    except DatabaseError as error:
        translated = _translate_error(error, command)
        if translated is None:
            raise
        raise translated from error
    return responses[command.created_id]


def cancel_order(*, order_id: UUID, organisation_id: UUID, actor: Actor) -> Order:
    """Cancel the open remainder of an organisation's order and release its reservation.

    Raises `OrderNotFound`, or `OrderNotActive` when the order is closed.
    """

    @transaction.atomic
    def close() -> Order:
        closed = close_order(order_id, "", actor, organisation_id=organisation_id)
        order = Order.objects.get(id=order_id)
        if not closed:
            raise OrderNotActive(order.status)
        return order

    return retry_if_rolled_back(close)


def close_order(
    order_id: UUID, reason: str, actor: Actor, *, organisation_id: UUID | None = None
) -> bool:
    """Cancel the open remainder, within the open transaction; False when the order is closed.

    Raises `OrderNotFound`, also for an order of another organisation than `organisation_id`.
    """
    found = Order.objects.filter(id=order_id)
    if organisation_id is not None:
        found = found.filter(organisation_id=organisation_id)
    if not found.exists():
        raise OrderNotFound
    return call_closing("close_order", order_id, reason, actor=actor) > 0


def due_to_expire() -> list[UUID]:
    """Return up to 1,000 open orders whose time has come, longest due first."""
    due = Order.objects.filter(status=OrderStatus.ACTIVE, expires_at__lte=timezone.now())
    return list(due.order_by("expires_at").values_list("id", flat=True)[:_EXPIRED_AT_ONCE])


def expire_order(order_id: UUID, actor: Actor) -> bool:
    """Cancel an order whose time has come; False when it is closed already."""
    return retry_if_rolled_back(
        transaction.atomic(partial(close_order, order_id, "expired", actor))
    )


def cancel_orders_of(
    *,
    organisation_id: UUID,
    member_id: UUID | None,
    currency: str | None,
    reason: str,
    actor: Actor,
) -> int:
    """Cancel the open orders of an owner, within the open transaction; return how many.

    `currency` limits them to tokens priced in it. The owner is locked alone (`wallets.freezes`), so
    none is being placed.
    """
    owner = (organisation_id, member_id)
    return call_closing("cancel_orders_of", *owner, currency, reason, actor=actor)


def cancel_buys_of(
    *,
    organisation_id: UUID,
    member_id: UUID | None,
    currency: str,
    needed: Decimal,
    reason: str,
    actor: Actor,
) -> int:
    """Cancel an owner's newest open buys until `needed` is available; return how many.

    Within the open transaction, with the owner locked alone, as `cancel_orders_of`.
    """
    owner = (organisation_id, member_id)
    return call_closing("cancel_buys_of", *owner, currency, needed, reason, actor=actor)


def call_closing(function: str, *values: object, actor: Actor) -> int:
    """Call a SQL function that closes orders, in the name of `actor`; return how many it closed."""
    marks = ", ".join(["%s"] * len(values))
    row = fetch_one(
        f"SELECT {function}({marks}, %s) FROM act_as(%s, %s, %s)",  # noqa: S608 - constants
        [*values, str(actor), *actor_parameters(actor)],
    )
    closed = int(row[0]) if row else 0
    if closed:
        task_notifier.notify_after_commit(task_notifier.DELIVER_EVENTS)
    return closed


def retry_if_rolled_back(call: Callable[[], _Result]) -> _Result:
    """Run `call`, a transaction or savepoint, again when another transaction rolled it back.

    Orders take their locks in one order and cannot deadlock among themselves, but can with
    external sessions that lock the same rows (an operator's prompt or script).
    """
    for attempt in range(1, _ATTEMPTS):
        try:
            return call()
        except DatabaseError as error:
            if sqlstate(error) in _RETRYABLE_STATES:
                # Lets the other transaction finish first.
                time.sleep(_PAUSE_SECONDS * attempt)
            elif violated_constraint(error) not in _CHANGED:
                raise
    return call()


def _translate_error(error: DatabaseError, command: PlaceOrder) -> DomainError | None:
    match violated_constraint(error):
        case "order_client_id_once":
            return DuplicateClientOrderId(command.client_order_id)
        case "order_client_reference_once":
            return ClientReferenceTaken(command.client_reference or "", "an order")
    rejection = read_rejection(error, _REJECTED)
    if rejection is None:
        return claim_error(error)
    code, detail = rejection
    return build_rejection(code, detail, side=command.type)
