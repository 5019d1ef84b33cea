"""Response schemas of balances."""

from exchange.api.operations import NamedSchema, closed_object, number_schema
from exchange.core.currencies import WALLET_CURRENCIES
from wallets.owners import examples
from wallets.owners.payloads import FROZEN_HELP

BALANCES = NamedSchema(
    "Balances",
    {
        "type": "array",
        "description": "One record for each currency",
        "items": closed_object(
            {
                "currency": {
                    "type": "string",
                    "enum": list(WALLET_CURRENCIES),
                    "description": "Currency code",
                },
                "available": number_schema("Can be spent"),
                "escrow": number_schema("Held for open withdrawals"),
                "reserved": number_schema("Held for open orders"),
                "lien": number_schema("Cash collateral of loans: what pledged units paid"),
                "uncleared": number_schema("Arrived, and not available until its deposit clears"),
                "receivable": number_schema("Owed to the exchange; credits repay it first"),
                "total": number_schema("All of these, less what is owed; as in statements"),
                "frozen": {"type": "boolean", "description": FROZEN_HELP},
            }
        ),
    },
    examples.BALANCES,
)
