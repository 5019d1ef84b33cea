"""Webhook events of conversions in the API schema."""

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import webhooks_hook
from wallets.conversions import examples
from wallets.conversions.event_types import EVENT_TYPES
from wallets.conversions.payloads import CONVERSION

_DATA = NamedSchema(
    "ConversionEventData",
    closed_object({"conversion": CONVERSION}),
    {"conversion.completed": {"conversion": examples.CONVERSION}},
)

add_conversion_events = webhooks_hook(EVENT_TYPES, "Conversions", _DATA)
