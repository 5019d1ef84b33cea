"""What events about orders and trades tell, as the schema says it."""

from __future__ import annotations

from typing import Any

from exchange.api.operations import Shape
from exchange.events.event_schema import add_webhooks
from orders.book import examples as book_examples
from orders.book.payloads import ORDER
from orders.trades import examples as trades_examples
from orders.trades.payloads import TRADE

_ENDED_AT = "2025-07-04T07:41:10.502Z"
_FULFILLED = {
    **book_examples.ORDER,
    "status": "Fulfilled",
    "meta": {"tokens": 12, "filled": 12},
    "updatedAt": _ENDED_AT,
}
_CANCELLED = {**book_examples.ORDER, "status": "Cancelled", "updatedAt": _ENDED_AT}

_ORDER = Shape(
    "OrderEventData",
    {"type": "object", "properties": {"order": ORDER}, "required": ["order"]},
    {"order.created": {"order": book_examples.ORDER}},
)
_ORDER_END = Shape(
    "OrderEndEventData",
    {
        "type": "object",
        "properties": {
            "order": ORDER,
            "reason": {
                "type": ["string", "null"],
                "description": "Why it was cancelled, when nobody asked for it",
            },
        },
        "required": ["order", "reason"],
    },
    {
        "order.cancelled": {"order": _CANCELLED, "reason": None},
        "order.fulfilled": {"order": _FULFILLED, "reason": None},
    },
)
_TRADE = Shape(
    "TradeEventData",
    {
        "type": "object",
        "properties": {"trade": TRADE, "order": ORDER},
        "required": ["trade", "order"],
    },
    {"trade.created": {"trade": trades_examples.TRADE, "order": book_examples.ORDER}},
)


def add_order_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Describe the events about orders and trades."""
    add_webhooks(result, _ORDER, {"order.created": "An order was placed"}, "Orders")
    add_webhooks(
        result,
        _ORDER_END,
        {
            "order.cancelled": "The open rest of an order was cancelled",
            "order.fulfilled": "An order was filled to the last unit",
        },
        "Orders",
    )
    add_webhooks(result, _TRADE, {"trade.created": "An order of yours traded"}, "Orders")
    return result
