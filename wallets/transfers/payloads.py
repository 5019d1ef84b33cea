"""The document of a transfer between wallets in the API."""

from typing import Any

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.documents import Document, WireField, identifier, number, text, timestamp
from exchange.core.references import OWN_REFERENCES
from wallets.transfers import examples
from wallets.transfers.models import WalletTransferStatus

# A wallet as requests name it and records show it.
WALLET_SCHEMA: dict[str, Any] = {
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "wallet": {
                    "type": "string",
                    "const": "organisation",
                    "description": "Always `organisation`",
                }
            },
            "required": ["wallet"],
            "not": {"properties": {"user_id": {}}, "required": ["user_id"]},
            "description": "The organisation's own wallet",
        },
        {
            "type": "object",
            "properties": {
                "user_id": {"type": "string", "pattern": r"\S", "description": "Member ID"}
            },
            "required": ["user_id"],
            "not": {"properties": {"wallet": {}}, "required": ["wallet"]},
            "description": "The wallet of a member",
        },
    ]
}


def _wallet(name: str, member: str, description: str) -> WireField:
    return WireField(
        name,
        f"""coalesce('{{"user_id":"' || {member} || '"}}', '{{"wallet":"organisation"}}')""",
        {"type": "object", **WALLET_SCHEMA, "description": description},
    )


WALLET_TRANSFER = Document(
    name="WalletTransfer",
    table="wallets_wallettransfer",
    fields=(
        identifier("_id", "Transfer ID", "{r}.id"),
        _wallet("from", "{r}.from_member_id", "The wallet that paid"),
        _wallet("to", "{r}.to_member_id", "The wallet that was paid"),
        number("amount", "Amount that moved"),
        text("currency", "Currency", "{r}.currency_id", enum=list(WALLET_CURRENCIES)),
        text("status", "A transfer is complete at once", enum=WalletTransferStatus.values),
        timestamp("createdAt", "Time of creation", "{r}.created_at"),
        *OWN_REFERENCES,
    ),
    example=examples.TRANSFER,
)
