"""Webhook events of conversions in the API schema."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from wallets.conversions import examples
from wallets.conversions.event_types import EVENT_TYPES
from wallets.conversions.payloads import CONVERSION

_DATA = NamedSchema(
    "ConversionEventData",
    closed_object({"conversion": CONVERSION}),
    {"conversion.completed": {"conversion": examples.CONVERSION}},
)


def add_conversion_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the events of conversions to the schema."""
    add_webhooks(result, _DATA, EVENT_TYPES, "Conversions")
    return result
