"""Example entries and holdings of the API documentation."""

from typing import Any

from exchange.core.examples import (
    TOKEN_ID,
    WITHDRAWAL_ID,
    WITHDRAWAL_REFERENCE,
    WITHDRAWAL_REQUESTED_AT,
)
from exchange.tokens.examples import TOKEN

TRANSACTION: dict[str, Any] = {
    "_id": "0197d36b-8c11-7c3e-9b7a-5f6e7d8c9b02",
    "type": "withdrawal_hold",
    "currency": "NGN",
    "account": "available",
    "amount": -15000.5,
    "balance_after": 984999.5,
    "reference": WITHDRAWAL_REFERENCE,
    "description": None,
    "subject": WITHDRAWAL_ID,
    "createdAt": WITHDRAWAL_REQUESTED_AT,
}


HOLDING: dict[str, Any] = {
    "token": TOKEN_ID,
    "name": TOKEN["name"],
    "symbol": TOKEN["symbol"],
    "currency": "NGN",
    "balance": 120.5,
    "lien": 10000,
    "available": 108.5,
    "reserved": 12,
    "next_record_at": "2025-07-08T00:00:00.000Z",
    "next_payment_date": "2025-07-10",
}


HOLDER: dict[str, Any] = {
    "_id": "0197d2d8-90b3-7f5c-8b1e-6c7d8e9f0a1b",
    "owner": None,
    "owner_model": "user",
    "balance": 120.5,
    "lien": 10000,
    "available": 108.5,
    "reserved": 12,
}
