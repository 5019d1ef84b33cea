"""Example distributions and income."""

from typing import Any

from exchange.core.examples import MEMBER_ID, TOKEN_ID

DISTRIBUTION_ID = "0197d4c2-5e11-7c40-9b1a-6d7e8f9a0b1c"
INCOME_ID = "0197d4d9-0a2b-7e57-8c3d-1f2a3b4c5d6e"

BASIS: dict[str, Any] = {"principal_per_unit": 10000, "rate": 18.5, "days": 92, "year": 365}

DISTRIBUTION: dict[str, Any] = {
    "_id": DISTRIBUTION_ID,
    "token": TOKEN_ID,
    "type": "Interest",
    "currency": "NGN",
    "amount_per_unit": 466.301369863014,
    "basis": BASIS,
    "record_at": "2025-07-08T00:00:00.000Z",
    "payment_date": "2025-07-10",
    "status": "Paid",
    "overdue": False,
    "version": 1,
    "corrects": None,
    "final": False,
    "holders": 48,
    "gross": 1398904.1,
    "tax": 0,
    "net": 1398904.1,
    "createdAt": "2025-07-01T08:12:11.000Z",
    "updatedAt": "2025-07-10T00:00:04.000Z",
}

# As organisations other than the issuer see it.
ANNOUNCED: dict[str, Any] = {
    **DISTRIBUTION,
    "status": "Announced",
    **dict.fromkeys(("holders", "gross", "tax", "net")),
    "updatedAt": "2025-07-02T09:30:00.000Z",
}

REDEMPTION: dict[str, Any] = {
    **ANNOUNCED,
    "type": "Redemption",
    "amount_per_unit": 10000,
    "basis": None,
    "final": True,
}

INCOME: dict[str, Any] = {
    "_id": INCOME_ID,
    "distribution": DISTRIBUTION_ID,
    "token": TOKEN_ID,
    "owner": MEMBER_ID,
    "owner_model": "user",
    "units": 25,
    "gross": 11657.53,
    "tax_rate": 0,
    "tax": 0,
    "net": 11657.53,
    "status": "Paid",
    "paid_to": "wallet",
    "createdAt": "2025-07-08T00:00:01.214Z",
}
