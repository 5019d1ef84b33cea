"""What answers about wallets hold, as the schema says it, and examples of it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from exchange.api.schema import Record
from wallets.api.fields import PAYOUT_CURRENCIES
from wallets.payloads import BANK, WITHDRAWAL

_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


BALANCES: dict[str, Any] = {
    "type": "array",
    "items": _object(
        {
            "currency": {"type": "string", "enum": [*PAYOUT_CURRENCIES, "USD"]},
            "available": {**_NUMBER, "description": "Can be spent"},
            "escrow": {**_NUMBER, "description": "Held for open withdrawals"},
            "reserved": {**_NUMBER, "description": "Held for open orders"},
            "total": {**_NUMBER, "description": "All of it"},
        }
    ),
}
CREATED_WITHDRAWAL = _object({"withdrawalRequest": Record(WITHDRAWAL), "bank": Record(BANK)})
WITHDRAWAL_DETAIL: dict[str, Any] = {
    "allOf": [
        Record(WITHDRAWAL),
        _object(
            {
                "reason": {
                    "type": ["string", "null"],
                    "description": "Why it was rejected or failed",
                }
            }
        ),
    ]
}
BANKS: dict[str, Any] = {"type": "array", "items": _object({"name": _TEXT, "code": _TEXT})}
ACCOUNT = _object(
    {"account_number": _TEXT, "account_name": _TEXT, "bank_name": _TEXT, "bank_code": _TEXT}
)
FEE = _object(
    {
        "currency": _TEXT,
        "amount": _NUMBER,
        "fee": {**_NUMBER, "description": "Flat fee, taken from the amount"},
        "disburse_amount": {**_NUMBER, "description": "`amount` minus `fee`: what is paid out"},
        "minimum": {**_NUMBER, "description": "Smallest withdrawal of the currency"},
    }
)

CURRENCY_PARAMETER = OpenApiParameter(
    "currency", required=True, enum=PAYOUT_CURRENCIES, description="Currency of the payout"
)
AMOUNT_PARAMETER = OpenApiParameter(
    "amount", type=float, required=True, description="Amount to withdraw, such as 1000 or 90.02"
)
WITHDRAWAL_EXAMPLE = OpenApiExample(
    "To a Nigerian account",
    value={
        "amount": 15000.5,
        "bank_name": "Guaranty Trust Bank",
        "account_name": "Forrest Green",
        "account_number": "0690000031",
        "currency": "NGN",
    },
    request_only=True,
)
SOUTH_AFRICA_EXAMPLE = OpenApiExample(
    "To a South African account, with everything its payout needs",
    value={
        "amount": 900.02,
        "bank_name": "Capitec Bank",
        "account_name": "Thandi Mokoena",
        "account_number": "1234567890",
        "currency": "ZAR",
        "recipient_first_name": "Thandi",
        "recipient_last_name": "Mokoena",
        "recipient_email": "thandi@example.com",
        "recipient_phone": "+27821234567",
        "recipient_address": "1 Long Street, Cape Town",
    },
    request_only=True,
)
WITHDRAWAL_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "insufficient_balance": "Insufficient NGN balance. Available: 100.5, requested: 2000",
        "below_minimum": "Cannot withdraw less than 1000 NGN",
        "invalid_request": "Currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS]",
        "currency_not_supported": "Withdrawals with automatic bank resolution are not supported "
        "for USD. Supported currencies: NGN, GHS, KES, ZAR, UGX, TZS",
        "fee_exceeds_amount": "The withdrawal fee of 50 NGN leaves nothing to pay out of 50 NGN",
    },
    "404": {
        "bank_not_found": 'Could not find a bank matching "GTB" for NGN. Please check the bank '
        "name (did you mean Guaranty Trust Bank?)",
    },
    "502": {
        "provider_unavailable": "Could not fetch the bank list from the payment provider. "
        "Please try again later",
    },
}
MEMBER_FAILURES: dict[str, dict[str, str]] = {
    **WITHDRAWAL_FAILURES,
    "404": {"user_not_found": "User not found", **WITHDRAWAL_FAILURES["404"]},
}
