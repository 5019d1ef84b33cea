"""What an order would do if it were placed now."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db import transaction

from exchange.core.commands import as_json
from exchange.core.database import fetch_one
from exchange.core.errors import DomainError, NotFound, Rejected
from exchange.core.numbers import round_half_even
from exchange.core.references import ClientReferenceTaken
from orders.book.commands import PlaceOrder
from orders.book.errors import DuplicateClientOrderId, build_rejection
from orders.book.selectors import orders_of


def preview_order(command: PlaceOrder) -> dict[str, Any]:
    """Return what `place_order` would do with `command`, with every rule that refuses it.

    The result is the data of a response, `shapes.PREVIEW`. Raises `TokenNotFound` and
    `UserNotFound`.
    """
    with transaction.atomic():
        text = as_json([replace(command, preview=True)])
        row = fetch_one("SELECT preview_order(%s::jsonb -> 0)::text", [text])
        # It has locked the token, and may have opened accounts.
        transaction.set_rollback(True)
    found = _decode(row[0] if row else "{}")
    details = [*found["details"], *["{}"] * len(found["rules"])]
    refusals = [
        build_rejection(code, _decode(detail), side=command.type) or Rejected(code=code)
        for code, detail in zip(found["rules"], details, strict=False)
    ]
    for refusal in refusals:
        if isinstance(refusal, NotFound):
            raise refusal
    refusals += _used_ids(command)
    filled = found["filled"]
    return {
        "acceptable": not refusals,
        "refusals": [{"code": each.code, "message": each.message} for each in refusals],
        "price": found["price"],
        "reserve": found["needs"],
        "filled": filled,
        "filled_value": found["filled_value"],
        "fee": found["fee"],
        "average_price": round_half_even(found["exact_value"] / filled, 8) if filled else None,
        "worst_price": found["worst_price"],
        "rests": 0 if refusals else found["rests"],
    }


def _used_ids(command: PlaceOrder) -> list[DomainError]:
    """Return the refusals of the IDs of its own that the organisation has given to an order."""
    mine, used = orders_of(command.organisation), list[DomainError]()
    client_order_id, reference = command.client_order_id, command.client_reference
    # Without the blank ones, so that the partial unique index is used.
    named = mine.exclude(client_order_id="")
    if client_order_id and named.filter(client_order_id=client_order_id).exists():
        used.append(DuplicateClientOrderId(client_order_id))
    if reference and mine.filter(client_reference=reference).exists():
        used.append(ClientReferenceTaken(reference, "an order"))
    return used


def _decode(text: str) -> Any:
    """Return the JSON of the database with its numbers as Decimals."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)
