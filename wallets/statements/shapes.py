"""Response schema, query parameters and failures of statements."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from exchange.api.operations import NamedSchema, closed_object, number_schema, text_schema
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.errors import InvalidCurrency
from wallets.ledger.models import TransferKind
from wallets.statements import examples
from wallets.statements.period import MAX_DAYS
from wallets.statements.selectors import MAX_MOVEMENTS, TooManyMovements

FORMATS = ("json", "csv", "pdf")
_TIME = {"type": "string", "format": "date-time"}
_ID = {"type": "string", "format": "uuid"}


def _balance(description: str) -> dict[str, Any]:
    return closed_object(
        {
            "available": number_schema("Can be spent"),
            "escrow": number_schema("Set aside for open withdrawals"),
            "reserved": number_schema("Set aside for open orders"),
            "lien": number_schema("Cash collateral of loans"),
            "uncleared": number_schema("Received, but may still be taken back"),
            "receivable": number_schema("Owed to the exchange"),
            "total": number_schema("The balance: all of these, less what is owed"),
        }
    ) | {"description": description}


_MOVEMENT = closed_object(
    {
        "_id": _ID | {"description": "ID of the movement"},
        "type": text_schema("Type of movement") | {"enum": list(TransferKind.values)},
        "description": text_schema("The movement in words, for people"),
        "reference": text_schema("Reference of the withdrawal or deposit, or of the movement"),
        "client_reference": {
            "type": ["string", "null"],
            "description": "Your own reference of the withdrawal, deposit or transfer",
        },
        "subject": {
            "type": ["string", "null"],
            "format": "uuid",
            "description": "ID of the record it is about",
        },
        "amount": number_schema(
            "Change of the balance: zero where money was only set aside or became available"
        ),
        "available_change": number_schema("Change of what is available"),
        "balance": number_schema("Balance after the movement"),
        "available": number_schema("What is available after it"),
        "createdAt": _TIME | {"description": "When it happened"},
    }
)

STATEMENT = NamedSchema(
    "AccountStatement",
    closed_object(
        {
            "owner": _ID | {"description": "ID of the organisation or member"},
            "owner_model": text_schema("Kind of owner") | {"enum": ["organisation", "user"]},
            "owner_name": text_schema("Name of the owner"),
            "currency": text_schema("Currency of the amounts") | {"enum": list(WALLET_CURRENCIES)},
            "from": _TIME | {"description": "Start of the period"},
            "to": _TIME | {"description": "Last instant of the period"},
            "opening": _balance("Balance at the start"),
            "money_in": number_schema("Sum of the movements that increased the balance"),
            "money_out": number_schema("Sum of those that decreased it, as a positive number"),
            "closing": _balance("Balance at the end: `opening` and all movements"),
            "movements": {
                "type": "array",
                "maxItems": MAX_MOVEMENTS,
                "description": "Every movement of the period, oldest first",
                "items": _MOVEMENT,
            },
            "createdAt": _TIME | {"description": "When the statement was made"},
        }
    ),
    examples.STATEMENT,
)

_MOMENT = {
    "anyOf": [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}],
    "examples": ["2025-07-01"],
}
_FORM = "an ISO 8601 date-time with its offset, or a date"

PARAMETERS = [
    OpenApiParameter(
        "currency",
        {"type": "string", "enum": list(WALLET_CURRENCIES)},
        required=True,
        description="Currency of the account",
    ),
    OpenApiParameter(
        "from",
        _MOMENT,
        required=True,
        description=f"From this time, inclusive: {_FORM} (the start of its day in UTC)",
    ),
    OpenApiParameter(
        "to",
        _MOMENT,
        required=True,
        description=f"To this time, inclusive: {_FORM} (the end of its day in UTC); at most "
        f"{MAX_DAYS} days after `from`, and not in the future",
    ),
    OpenApiParameter(
        "format",
        {"type": "string", "enum": list(FORMATS), "default": "json"},
        description="`csv` and `pdf` return a file",
    ),
]

FAILURES = {
    "400": {
        "invalid_request": "to must not be before from",
        InvalidCurrency.code: InvalidCurrency(WALLET_CURRENCIES).message,
        TooManyMovements.code: TooManyMovements.message,
    }
}
