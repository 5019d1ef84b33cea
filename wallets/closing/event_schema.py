"""OpenAPI schema of the events of closed members."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from wallets.closing.event_types import EVENT_TYPES
from wallets.owners.examples import UNBLOCKED_MEMBER
from wallets.owners.payloads import MEMBER

_DATA = NamedSchema(
    "MemberEventData",
    closed_object({"member": MEMBER}),
    {
        "member.closed": {"member": {**UNBLOCKED_MEMBER, "status": "closed"}},
        "member.reopened": {"member": UNBLOCKED_MEMBER},
    },
)


def add_member_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the events of closed members to the schema."""
    add_webhooks(result, _DATA, EVENT_TYPES, "Members")
    return result
