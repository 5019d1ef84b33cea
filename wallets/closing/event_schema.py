"""OpenAPI schema of the events of closed members."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from exchange.participants.examples import MEMBER as MEMBER_EXAMPLE
from exchange.participants.payloads import MEMBER
from wallets.closing.event_types import EVENT_TYPES

_DATA = NamedSchema(
    "MemberEventData",
    closed_object({"member": MEMBER}),
    {
        "member.closed": {"member": {**MEMBER_EXAMPLE, "status": "closed"}},
        "member.reopened": {"member": MEMBER_EXAMPLE},
    },
)


def add_member_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the events of closed members to the schema."""
    add_webhooks(result, _DATA, EVENT_TYPES, "Members")
    return result
