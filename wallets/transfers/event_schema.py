"""Webhook events of transfers between wallets in the API schema."""

from typing import Any

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import add_webhooks
from wallets.transfers import examples
from wallets.transfers.event_types import EVENT_TYPES
from wallets.transfers.payloads import WALLET_TRANSFER

_DATA = NamedSchema(
    "TransferEventData",
    closed_object({"transfer": WALLET_TRANSFER}),
    {"transfer.completed": {"transfer": examples.TRANSFER}},
)


def add_transfer_events(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the events of transfers to the schema."""
    add_webhooks(result, _DATA, EVENT_TYPES, "Transfers")
    return result
