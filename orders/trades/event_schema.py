"""OpenAPI schema of trade events."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from orders.book.examples import ORDER as ORDER_EXAMPLE
from orders.book.payloads import ORDER
from orders.trades import examples
from orders.trades.event_types import EVENT_TYPES
from orders.trades.payloads import FILL, TRADE

_FIELDS = ("value", "fee", "liquidity")
_FILL = closed_object(
    {field.name: field.schema for field in FILL.fields if field.name in _FIELDS},
    description="What it is to the order, as in `GET /v1/orders/{order_id}/fills`",
)
_TRADE = NamedSchema(
    "TradeEventData",
    closed_object({"trade": TRADE, "order": ORDER, "fill": _FILL}),
    {
        "trade.created": {
            "trade": examples.TRADE,
            "order": ORDER_EXAMPLE,
            "fill": {name: examples.FILL[name] for name in _FIELDS},
        }
    },
)


def add_trade_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the trade events to the schema."""
    add_webhooks(result, _TRADE, EVENT_TYPES, "Orders")
    return result
