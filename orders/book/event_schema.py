"""OpenAPI schema of order events."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from orders.book import examples
from orders.book.event_types import EVENT_TYPES
from orders.book.payloads import ORDER

_CLOSED_AT = "2025-07-04T07:41:10.502Z"
_FULFILLED = {
    **examples.ORDER,
    "status": "Fulfilled",
    "meta": {**examples.ORDER["meta"], "filled": 12, "filled_value": 1272, "fee": 6.36},
    "updatedAt": _CLOSED_AT,
}
_CANCELLED = {**examples.ORDER, "status": "Cancelled", "updatedAt": _CLOSED_AT}

_ORDER = NamedSchema(
    "OrderEventData",
    closed_object({"order": ORDER}),
    {
        "order.created": {"order": examples.ORDER},
        "order.updated": {"order": {**examples.ORDER, "updatedAt": _CLOSED_AT}},
    },
)
_CLOSED_ORDER = NamedSchema(
    "OrderEndEventData",
    closed_object(
        {
            "order": ORDER,
            "reason": {
                "type": ["string", "null"],
                "description": "Why the order was cancelled, unless by request",
            },
        }
    ),
    {
        "order.cancelled": {"order": _CANCELLED, "reason": None},
        "order.fulfilled": {"order": _FULFILLED, "reason": None},
    },
)


def add_order_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the order events to the schema."""
    add_webhooks(result, _ORDER, EVENT_TYPES, "Orders")
    add_webhooks(result, _CLOSED_ORDER, EVENT_TYPES, "Orders")
    return result
