"""Webhook events of deposits in the API schema."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import USER, add_webhooks
from exchange.participants.examples import USER as USER_EXAMPLE
from wallets.deposits import examples
from wallets.deposits.event_types import EVENT_TYPES
from wallets.deposits.payloads import DEPOSIT

_DEMANDED = {
    "disputed_at": "2025-07-04T10:15:02.338Z",
    "disputed_amount": 250000,
    "updatedAt": "2025-07-04T10:15:02.338Z",
}
# How the deposit of an event differs from the example.
_CHANGES: dict[str, dict[str, Any]] = {
    "deposit.cleared": {
        "channel": "checkout",
        "available_on": "2025-07-04T10:12:09.310Z",
        "createdAt": "2025-07-01T10:12:09.310Z",
    },
    "deposit.disputed": _DEMANDED,
    "deposit.failed": {"status": "Failed"},
    "deposit.reversed": {**_DEMANDED, "status": "Reversed", "reversed_amount": 250000},
}
_DATA = NamedSchema(
    "DepositEventData",
    closed_object(
        {
            "deposit": DEPOSIT,
            "user": {
                **USER,
                "description": "The member; null for a deposit of the organisation itself",
            },
        }
    ),
    {
        event_type: {
            "deposit": {**examples.DEPOSIT, **_CHANGES.get(event_type, {})},
            "user": USER_EXAMPLE,
        }
        for event_type in EVENT_TYPES
    },
)


def add_deposit_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the events of deposits to the schema."""
    add_webhooks(result, _DATA, EVENT_TYPES, "Deposits")
    return result
