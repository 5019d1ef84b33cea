"""OpenAPI schema of the events of freezes."""

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import USER, webhooks_hook
from exchange.participants.examples import USER as USER_EXAMPLE
from wallets.freezes.event_types import EVENT_TYPES

_FREEZE = closed_object(
    {
        "_id": {"type": "string", "format": "uuid", "description": "Freeze ID"},
        "currency": {
            "type": ["string", "null"],
            "description": "The currency that is frozen; null for every currency and all units",
        },
    },
    description="The freeze. Its reason is not sent",
)
_EXAMPLE = {
    "freeze": {"_id": "0197d36f-3c44-7b12-8f63-4c5d6e7f8a03", "currency": "NGN"},
    "user": USER_EXAMPLE,
}
_DATA = NamedSchema(
    "FreezeEventData",
    closed_object(
        {
            "freeze": _FREEZE,
            "user": {**USER, "description": "The member; null for your own wallet"},
        }
    ),
    dict.fromkeys(EVENT_TYPES, _EXAMPLE),
)

add_freeze_events = webhooks_hook(EVENT_TYPES, "Wallets", _DATA)
