"""Example transfers, in the story of `exchange.core.examples`."""

from typing import Any

from exchange.core.examples import MEMBER_ID

TRANSFER_ID = "0197d36c-1a2b-7c3d-8e4f-5a6b7c8d9e01"


TRANSFER: dict[str, Any] = {
    "_id": TRANSFER_ID,
    "from": {"wallet": "organisation"},
    "to": {"user_id": MEMBER_ID},
    "amount": 2500,
    "currency": "NGN",
    "status": "Completed",
    "createdAt": "2025-07-04T10:20:11.507Z",
}
