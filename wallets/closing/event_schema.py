"""OpenAPI schema of the events of closed members."""

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import webhooks_hook
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

add_member_events = webhooks_hook(EVENT_TYPES, "Members", _DATA)
