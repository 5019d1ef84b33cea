"""OpenAPI schema of trade events."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from orders.book.examples import ORDER as ORDER_EXAMPLE
from orders.book.payloads import ORDER
from orders.trades import examples
from orders.trades.event_types import EVENT_TYPES
from orders.trades.payloads import TRADE

_TRADE = NamedSchema(
    "TradeEventData",
    closed_object({"trade": TRADE, "order": ORDER}),
    {"trade.created": {"trade": examples.TRADE, "order": ORDER_EXAMPLE}},
)


def add_trade_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the trade events to the schema."""
    add_webhooks(result, _TRADE, EVENT_TYPES, "Orders")
    return result
