"""Webhook events of transfers between wallets in the API schema."""

from exchange.api.operations import NamedSchema, closed_object
from exchange.events.event_schema import webhooks_hook
from wallets.transfers import examples
from wallets.transfers.event_types import EVENT_TYPES
from wallets.transfers.payloads import WALLET_TRANSFER

_DATA = NamedSchema(
    "TransferEventData",
    closed_object({"transfer": WALLET_TRANSFER}),
    {"transfer.completed": {"transfer": examples.TRANSFER}},
)

add_transfer_events = webhooks_hook(EVENT_TYPES, "Transfers", _DATA)
