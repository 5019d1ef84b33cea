"""What answers about balances hold."""

from __future__ import annotations

from exchange.api.fields import WALLET_CURRENCIES
from exchange.api.operations import Shape, closed_object, number_schema
from wallets.ledger import examples

BALANCES = Shape(
    "Balances",
    {
        "type": "array",
        "description": "One record for each currency",
        "items": closed_object(
            {
                "currency": {
                    "type": "string",
                    "enum": WALLET_CURRENCIES,
                    "description": "Code of the currency",
                },
                "available": number_schema("Can be spent"),
                "escrow": number_schema("Held for open withdrawals"),
                "reserved": number_schema("Held for open orders"),
                "total": number_schema("All of it"),
            }
        ),
    },
    examples.BALANCES,
)
