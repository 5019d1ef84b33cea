"""Response schema of the caller's own organisation, and what applies to it."""

from exchange.api.operations import NamedSchema, closed_object, number_schema, text_schema
from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.examples import ORGANISATION_ID

_TEXTS = {"type": "array", "items": {"type": "string"}}
_FLAG = {"type": "boolean"}
_WHOLE = {"type": "integer", "minimum": 0}

_CURRENCY = closed_object(
    {
        "currency": {
            "type": "string",
            "enum": list(WALLET_CURRENCIES),
            "description": "Currency code",
        },
        "minimum_withdrawal": number_schema(
            "Smallest amount of a withdrawal; null where the currency is not paid out", "null"
        ),
        "withdrawal_fee": number_schema("Fee of a withdrawal, or null", "null"),
        "internal_fee": number_schema(
            "Internal fee shown on your organisation's withdrawals, or null", "null"
        ),
        "usd_rate": number_schema("Units per USD; null where no rate is set", "null"),
        "conversion_spread": number_schema("Percent that a conversion costs"),
    }
)

ORGANISATION = NamedSchema.of(
    "OwnOrganisation",
    "Your organisation, the key of the request, and what applies to it now",
    _id=({**text_schema("Organisation ID"), "format": "uuid"}, ORGANISATION_ID),
    name=(text_schema("Name of the organisation"), "Lagos Capital"),
    redirect_origins=(
        {**_TEXTS, "description": "Where a payer may return after a checkout"},
        ["https://example.com"],
    ),
    verification_required_for_deposits=(
        {**_FLAG, "description": "Members that are not verified can open no virtual account"},
        False,
    ),
    verification_required_for_withdrawals=(
        {**_FLAG, "description": "Members that are not verified cannot withdraw"},
        False,
    ),
    key=(
        {
            "description": "The API key of this request",
            **closed_object(
                {
                    "_id": {**text_schema("ID of the key"), "format": "uuid"},
                    "name": text_schema("Name of the key"),
                    "scopes": {**_TEXTS, "description": "Scopes of the access token"},
                }
            ),
        },
        {
            "_id": "0197a9a4-0f52-7c52-9c6e-2f7f7be0a001",
            "name": "Settlement",
            "scopes": ["orders:read", "wallets:read"],
        },
    ),
    limits=(
        {
            "description": "Requests that each key may send in a minute; null where unlimited",
            **closed_object(
                {
                    "requests": {"type": ["integer", "null"], "description": "Of all kinds"},
                    "money": {"type": ["integer", "null"], "description": "Those that move money"},
                }
            ),
        },
        {"requests": 600, "money": 120},
    ),
    payouts_paused=(
        {**_FLAG, "description": "Payouts are on hold: approved withdrawals wait"},
        False,
    ),
    deposit_fee_borne_by_owner=(
        {**_FLAG, "description": "The payment provider's charge is taken from what arrives"},
        False,
    ),
    deposit_clearing_days=(
        {**_WHOLE, "description": "Days until a deposit by card or mobile money is available"},
        3,
    ),
    currencies=(
        {
            "type": "array",
            "description": "Fees, limits and rates of each currency",
            "items": _CURRENCY,
        },
        [
            {
                "currency": "NGN",
                "minimum_withdrawal": 1000,
                "withdrawal_fee": 50,
                "internal_fee": 0,
                "usd_rate": 1520.5,
                "conversion_spread": 1,
            }
        ],
    ),
)
