"""An example statement of the API documentation."""

from typing import Any

from exchange.core.examples import (
    MEMBER_ID,
    WITHDRAWAL_ID,
    WITHDRAWAL_REFERENCE,
    WITHDRAWAL_REQUESTED_AT,
)

_NOTHING_ELSE = {"reserved": 0, "lien": 0, "uncleared": 0, "receivable": 0}

STATEMENT: dict[str, Any] = {
    "owner": MEMBER_ID,
    "owner_model": "user",
    "owner_name": "Ada Obi",
    "currency": "NGN",
    "from": "2025-07-04T00:00:00.000Z",
    "to": "2025-07-04T23:59:59.999Z",
    "opening": {"available": 1000000, "escrow": 0, **_NOTHING_ELSE, "total": 1000000},
    "money_in": 0,
    "money_out": 0,
    "closing": {"available": 984999.5, "escrow": 15000.5, **_NOTHING_ELSE, "total": 1000000},
    "movements": [
        {
            "_id": "0197d36b-8c11-7c3e-9b7a-5f6e7d8c9b01",
            "type": "withdrawal_hold",
            "description": "Withdrawal requested: 15,000.50 NGN set aside",
            "reference": WITHDRAWAL_REFERENCE,
            "client_reference": "INV-2025-17",
            "subject": WITHDRAWAL_ID,
            "amount": 0,
            "available_change": -15000.5,
            "balance": 1000000,
            "available": 984999.5,
            "createdAt": WITHDRAWAL_REQUESTED_AT,
        }
    ],
    "createdAt": "2025-07-05T06:00:00.000Z",
}
