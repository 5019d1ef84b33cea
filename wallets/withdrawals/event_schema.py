"""Webhook events of withdrawals in the API schema."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import ACTOR, STAFF_EXAMPLE, USER, add_webhooks
from exchange.participants.examples import USER as USER_EXAMPLE
from wallets.banks.payloads import BANK, BANK_EXAMPLE
from wallets.withdrawals import examples
from wallets.withdrawals.event_types import EVENT_TYPES
from wallets.withdrawals.payloads import WITHDRAWAL

_WITHDRAWAL: dict[str, Any] = {
    "allOf": [
        WITHDRAWAL,
        closed_object(
            {
                "actioned_by": {
                    **ACTOR,
                    "type": ["object", "null"],
                    "description": "The actor of the first decision; null before it",
                }
            }
        ),
    ],
    "description": "The withdrawal after the change, with the actor of the decision",
}
_DECIDED_AT = "2025-07-04T10:20:31.044Z"


def _example(event_type: str) -> dict[str, Any]:
    status = event_type.partition(".")[2].capitalize()
    withdrawal = {**examples.MEMBER_WITHDRAWAL, "actioned_by": None}
    if status != "Created":
        withdrawal |= {
            "status": status,
            "actioned_on": _DECIDED_AT,
            "actioned_by": STAFF_EXAMPLE,
            "updatedAt": _DECIDED_AT,
        }
    return {"withdrawal": withdrawal, "bank": BANK_EXAMPLE, "user": USER_EXAMPLE}


_DATA = NamedSchema(
    "WithdrawalEventData",
    closed_object(
        {
            "withdrawal": _WITHDRAWAL,
            "bank": BANK,
            "user": {
                **USER,
                "description": "The member; null for a withdrawal of the organisation itself",
            },
        }
    ),
    {event_type: _example(event_type) for event_type in EVENT_TYPES},
)


def add_withdrawal_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the events of withdrawals to the schema."""
    add_webhooks(result, _DATA, EVENT_TYPES, "Withdrawals")
    return result
