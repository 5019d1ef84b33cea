"""Place and cancel orders. What needs the lock of the token is one call in PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from django.db import DatabaseError, connection, transaction

from exchange.core import wake
from exchange.core.acting import acting_as
from exchange.core.actors import Actor
from exchange.core.batching import Combiner
from exchange.core.database import constraint_of, fetch_all, fetch_one, refused_by, sqlstate
from exchange.core.errors import DomainError
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    claim_refusal,
    kept_for,
    wait_milliseconds,
)
from exchange.core.ids import uuid7
from exchange.core.numbers import plain
from exchange.core.sets import Form, as_json
from orders.book.errors import DuplicateClientOrderId, OrderNotActive, OrderNotFound, refusal
from orders.book.models import Order, OwnerModel

CREATED = 201
MESSAGE = "Order placed"

# What `enter_orders` raises for a refusal.
_REFUSED = "XO400"
# Another transaction was in the way and this one was undone: serialization failure, deadlock.
_IN_THE_WAY = ("40001", "40P01")
# What the order was to be paid with has been spent since the function looked: so it looks again.
_SPENT_MEANWHILE = "account_balance_not_negative"
_TRIES = 5
_PAUSE_SECONDS = 0.05
# For each token what orders for it that arrive together go through. An order that arrives alone is
# placed at once; those that arrive meanwhile share the next transaction.
_books: WeakValueDictionary[UUID, Combiner[Form, StoredResponse | None]] = WeakValueDictionary()

_Answer = TypeVar("_Answer")

# An order that goes with others waits no longer for a key that somebody else has.
_SHORT_WAIT_MS = 50

_CALL = (
    "SELECT id::text, status_code, message, data, replayed FROM enter_orders("
    "%s::jsonb, %s::integer, %s::interval, %s::integer, %s::text)"
)


@dataclass(frozen=True, slots=True)
class Customer:
    """An outside customer that a key trades for."""

    name: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRequest:
    """A well-formed order: `type` Buy or Sell, `price` for one unit, `tokens` units."""

    token_id: UUID
    type: str
    price: Decimal
    tokens: Decimal
    customer: Customer | None = None
    client_order_id: str = ""


def place(
    *,
    organisation_id: UUID,
    member_id: UUID | None,
    request: OrderRequest,
    actor: Actor,
    api_key_id: UUID | None = None,
    claim: IdempotencyClaim | None = None,
) -> StoredResponse:
    """Place an order: matched and settled at once as far as the book goes, the rest reserved.

    The owner is the member, or the organisation when `member_id` is None. The answer's data is
    the order as it stands then. With a `claim` the first answer under it is given again.

    Raises `TokenNotFound`, `UserNotFound`, `Refused` with the rule's code, `InsufficientBalance`
    as `Refused`, `DuplicateClientOrderId`, and `IdempotencyKeyReused` or `StillRunning` for the
    claim. Nothing moves and nothing is reserved on a refusal.
    """
    form = _form(organisation_id, member_id, request, actor, api_key_id)
    if claim is not None:
        form |= claim.as_form()
    if connection.in_atomic_block:
        return _place_alone(form)
    book = _books.setdefault(request.token_id, Combiner(_place_together))
    return book.submit(form) or _place_alone(form)


def _place_alone(form: Form) -> StoredResponse:
    """Place one order, and say why when it is refused."""
    call = partial(_enter, [form], wait_milliseconds())
    try:
        answers = _again_if_undone(transaction.atomic(call) if connection.in_atomic_block else call)
    except DatabaseError as error:
        known = _refusal(error, form)
        if known is None:
            raise
        raise known from error
    return answers[form["id"]]


def _place_together(forms: list[Form]) -> list[StoredResponse | None]:
    """Place orders for one token in one transaction; None for one that must be placed alone.

    Raises `DatabaseError` when the connection was lost: what became of them is not known then.
    """
    if len(forms) == 1:
        return [_place_alone(forms[0])]
    try:
        answers = _enter(forms, _SHORT_WAIT_MS)
    except DatabaseError as error:
        if sqlstate(error) is None:
            raise
        answers = {}
    return [answers.get(form["id"]) for form in forms]


def _enter(forms: list[Form], wait_ms: int) -> dict[str, StoredResponse]:
    """Enter orders for one token in one transaction; the answers of those that were, by id."""
    rows = fetch_all(_CALL, [as_json(forms), wait_ms, kept_for(), CREATED, MESSAGE])
    wake.after_commit(wake.DELIVER_EVENTS)
    return {order_id: StoredResponse(*answer) for order_id, *answer in rows}


def cancel(*, order_id: UUID, organisation_id: UUID, actor: Actor) -> Order:
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

    return _again_if_undone(close)


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
        [order_id, reason, str(actor), *acting_as(actor)],
    )
    closed = bool(row and row[0])
    if closed:
        wake.after_commit(wake.DELIVER_EVENTS)
    return closed


def _again_if_undone(call: Callable[[], _Answer]) -> _Answer:
    """What `call` gives: a transaction, or a savepoint in one, made anew when it was undone.

    Orders take their locks in one order and never wait in a circle among themselves. Somebody else
    who locks the same rows (a person at a prompt, a program of the operator's) may make one.
    """
    for tried in range(1, _TRIES):
        try:
            return call()
        except DatabaseError as error:
            if sqlstate(error) in _IN_THE_WAY:
                # Whoever was waiting gets what they waited for, before it is asked for again.
                time.sleep(_PAUSE_SECONDS * tried)
            elif constraint_of(error) != _SPENT_MEANWHILE:
                raise
    return call()


def _form(
    organisation_id: UUID,
    member_id: UUID | None,
    request: OrderRequest,
    actor: Actor,
    api_key_id: UUID | None,
) -> Form:
    """Give the order as `enter_orders` takes it: `order_request` by its column names."""
    customer = request.customer
    return {
        "id": str(uuid7()),
        "organisation": str(organisation_id),
        "member": member_id and str(member_id),
        "api_key": api_key_id and str(api_key_id),
        "owner_model": _owner_model(member_id, customer),
        "token": str(request.token_id),
        "type": request.type,
        "price": plain(request.price),
        "tokens": plain(request.tokens),
        "customer_name": customer.name if customer else "",
        "customer_email": customer.email if customer else "",
        "client_order_id": request.client_order_id,
        "actor": str(actor),
    }


def _owner_model(member_id: UUID | None, customer: Customer | None) -> str:
    if member_id is not None:
        return OwnerModel.USER
    return OwnerModel.API_KEY if customer is not None else OwnerModel.ORGANISATION


def _refusal(error: DatabaseError, form: Form) -> DomainError | None:
    if constraint_of(error) == "order_client_id_once":
        return DuplicateClientOrderId(form["client_order_id"])
    refused = refused_by(error, _REFUSED)
    if refused is None:
        return claim_refusal(error)
    code, detail = refused
    return refusal(code, detail, side=form["type"])
