"""Place and cancel orders. What needs the lock of the token is one call in PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from django.db import DatabaseError, connection, transaction

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
from orders.book.commands import PlaceOrder
from orders.book.errors import (
    DuplicateClientOrderId,
    OrderNotActive,
    OrderNotFound,
    build_rejection,
)
from orders.book.models import Order

# What `enter_orders` raises for a refusal.
_REJECTED = "XO400"
# Another transaction was in the way and this one was undone: serialization failure, deadlock.
_RETRYABLE_STATES = ("40001", "40P01")
# What the order was to be paid with has been spent since the function looked: so it looks again.
_BALANCE_CONSTRAINT = "account_balance_not_negative"
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.05
# For each token what orders for it that arrive together go through. An order that arrives alone is
# placed at once; those that arrive meanwhile share the next transaction.
_batchers: WeakValueDictionary[UUID, Batcher[PlaceOrder, StoredResponse | None]] = (
    WeakValueDictionary()
)

_Result = TypeVar("_Result")

_enter_orders = BatchedFunction("enter_orders", 201, "Order placed")


def place_order(command: PlaceOrder, *, claim: IdempotencyClaim | None = None) -> StoredResponse:
    """Place an order: matched and settled at once as far as the book goes, the rest reserved.

    The owner is the member, or the organisation when there is none. The answer's data is the order
    as it stands then. With a `claim` the first answer under it is given again.

    Raises `TokenNotFound`, `UserNotFound`, `Rejected` with the rule's code, `InsufficientBalance`
    as `Rejected`, `DuplicateClientOrderId`, and `IdempotencyKeyReused` or `RequestInProgress`
    for the claim. Nothing moves and nothing is reserved on a refusal.
    """
    command = command.with_key(claim)
    if connection.in_atomic_block:
        return _place_single(command)
    book = _batchers.setdefault(
        command.token, Batcher(partial(_enter_orders.run_batch, run_single=_place_single))
    )
    return book.submit(command) or _place_single(command)


def _place_single(command: PlaceOrder) -> StoredResponse:
    """Place one order, and say why when it is refused."""
    try:
        answers = _retry_if_rolled_back(partial(_enter_orders.run, [command], wait_milliseconds()))
    except DatabaseError as error:
        known = _translate_error(error, command)
        if known is None:
            raise
        raise known from error
    return answers[command.created_id]


def cancel_order(*, order_id: UUID, organisation_id: UUID, actor: Actor) -> Order:
    """Cancels the open rest of an order of the organisation; what was reserved for it is free.

    Raises `OrderNotFound`, or `OrderNotActive` when the order is over.
    """

    @transaction.atomic
    def close() -> Order:
        closed = close_order(order_id, "", actor, organisation_id=organisation_id)
        order = Order.objects.get(id=order_id)
        if not closed:
            raise OrderNotActive(order.status)
        return order

    return _retry_if_rolled_back(close)


def close_order(
    order_id: UUID, reason: str, actor: Actor, *, organisation_id: UUID | None = None
) -> bool:
    """Cancels the open rest; False when the order is over. Part of the open transaction.

    With `organisation_id` only that organisation's order is found (raises `OrderNotFound`).
    """
    found = Order.objects.filter(id=order_id)
    if organisation_id is not None:
        found = found.filter(organisation_id=organisation_id)
    if not found.exists():
        raise OrderNotFound
    row = fetch_one(
        "SELECT close_order(%s, %s, %s) FROM act_as(%s, %s, %s)",
        [order_id, reason, str(actor), *actor_parameters(actor)],
    )
    closed = bool(row and row[0])
    if closed:
        task_notifier.notify_after_commit(task_notifier.DELIVER_EVENTS)
    return closed


def _retry_if_rolled_back(call: Callable[[], _Result]) -> _Result:
    """What `call` gives: a transaction, or a savepoint in one, made anew when it was undone.

    Orders take their locks in one order and never wait in a circle among themselves. Somebody else
    who locks the same rows (a person at a prompt, a program of the operator's) may make one.
    """
    for tried in range(1, _ATTEMPTS):
        try:
            return call()
        except DatabaseError as error:
            if sqlstate(error) in _RETRYABLE_STATES:
                # Whoever was waiting gets what they waited for, before it is asked for again.
                time.sleep(_PAUSE_SECONDS * tried)
            elif violated_constraint(error) != _BALANCE_CONSTRAINT:
                raise
    return call()


def _translate_error(error: DatabaseError, command: PlaceOrder) -> DomainError | None:
    if violated_constraint(error) == "order_client_id_once":
        return DuplicateClientOrderId(command.client_order_id)
    refused = read_rejection(error, _REJECTED)
    if refused is None:
        return claim_error(error)
    code, detail = refused
    return build_rejection(code, detail, side=command.type)
