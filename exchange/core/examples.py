"""Example values of the API documentation: one small story, told alike by every endpoint.

An organisation acts for a member, who holds units of one token, sells some, borrows against
others and withdraws to a bank account. Each record belongs to a mapping (`Document.example`).
"""

from __future__ import annotations

from typing import Any

ORGANISATION_ID = "0197d2a0-0c4e-7b1d-8f6a-3e2d1c0b9a87"
LENDER_ID = "0197d2a0-5d7f-7e20-9a41-6b8c7d9e0f12"
MEMBER_ID = "0197d2a4-1b07-7c9d-8a44-2e9c1f0b7d63"
TOKEN_ID = "0197d2a4-3c1f-7a52-9b1e-5d0f6f4c2a11"
EVENT_ID = "0197d36b-8e2a-7d04-b3c5-9f1e0d2c4b6a"
WITHDRAWAL_ID = "0197d36b-8c11-7f9b-a2d3-4c5b6a798801"
LISTED_AT = "2025-06-02T09:00:00.000Z"
JOINED_AT = "2025-07-01T08:30:12.481Z"

MEMBER: dict[str, Any] = {
    "_id": MEMBER_ID,
    "name": "Forrest Green",
    "email": "forrest.green@example.com",
    "external_id": "crm-20417",
    "createdAt": JOINED_AT,
    "updatedAt": JOINED_AT,
}
USER: dict[str, Any] = {name: MEMBER[name] for name in ("_id", "name", "email")}

EVENT: dict[str, Any] = {
    "id": EVENT_ID,
    "type": "withdrawal.created",
    "status": "Delivered",
    "subject_id": WITHDRAWAL_ID,
    "attempt_count": 1,
    "next_attempt_at": None,
    "created_at": "2025-07-04T10:15:02.338Z",
    "delivered_at": "2025-07-04T10:15:02.907Z",
}
DELIVERY_ATTEMPT: dict[str, Any] = {
    "number": 1,
    "url": "https://hooks.example.com/exchange",
    "attempted_at": "2025-07-04T10:15:02.761Z",
    "milliseconds": 146,
    "status_code": 204,
    "error": None,
    "answer": "",
}
WEBHOOK: dict[str, Any] = {
    "url": "https://hooks.example.com/exchange",
    "enabled": True,
    "disabled_reason": None,
    "previous_secret_until": None,
    "created_at": "2025-07-01T08:00:00.000Z",
    "updated_at": "2025-07-01T08:00:00.000Z",
}
# Not a secret: words in Base64.
SECRET = "whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQh"

TOKEN: dict[str, Any] = {
    "_id": TOKEN_ID,
    "name": "Lekki Gardens Notes",
    "symbol": "LGN27",
    "reference": 41,
    "image": "https://images.example.com/lgn27.png",
    "currency": "NGN",
    "creator": None,
    "asset": TOKEN_ID,
    "request": "listing-2025-041",
    "price": {"buy": 108, "sell": 106, "exchange": 1530.25},
    "prev_price": {"buy": 107, "sell": 105, "exchange": 1528},
    "min": {"buy": 90, "sell": 90},
    "max": {"buy": 130, "sell": 130},
    "vol": {"buy": 18250, "sell": 6250},
    "min_trade": {"buy": 500, "sell": 0},
    "max_trade": {"buy": 5000000, "sell": 0},
    "type": "Public",
    "deal_access": "Public",
    "investment_type": "Fixed Interest",
    "investment_category": "Real Estate",
    "payout_frequency": "Monthly",
    "raise_amount": 50000000,
    "buy_fee": 1,
    "sell_fee": 0.5,
    "carry": 0,
    "management_fee": 1.5,
    "valuation": 75000000,
    "discount": 0,
    "interest": 14.5,
    "dividend": 0,
    "tenor": 730,
    "secondaries": True,
    "completed_raise": True,
    "supply": 500000,
    "total_supply": 500000,
    "total_raised": 50000000,
    "exited": False,
    "cancelled": False,
    "esop_token": False,
    "post_raise_valuation": 125000000,
    "milestone": "100",
    "total_allocated": 500000,
    "createdAt": LISTED_AT,
    "updatedAt": "2025-07-04T07:00:00.000Z",
}
