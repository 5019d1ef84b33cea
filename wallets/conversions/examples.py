"""Example conversions, in the story of `exchange.core.examples`."""

from typing import Any

from exchange.core.examples import MEMBER_ID

QUOTE_ID = "0197d36c-5d6e-7f70-8a1b-2c3d4e5f6a07"
CONVERSION_ID = "0197d36c-7f80-7a1b-9c2d-3e4f5a6b7c08"


# At 1,500 NGN for a USD, with a spread of 100 basis points.
QUOTE: dict[str, Any] = {
    "quote_id": QUOTE_ID,
    "from_currency": "NGN",
    "to_currency": "USD",
    "amount": 150000,
    "rate": 0.00066,
    "converted_amount": 99,
    "fee": 1,
    "createdAt": "2025-07-04T10:21:00.118Z",
    "expires_at": "2025-07-04T10:22:00.118Z",
}


CONVERSION: dict[str, Any] = {
    "_id": CONVERSION_ID,
    "owner": MEMBER_ID,
    "owner_model": "user",
    "quote_id": QUOTE_ID,
    "from_currency": "NGN",
    "to_currency": "USD",
    "amount": 150000,
    "rate": 0.00066,
    "converted_amount": 99,
    "fee": 1,
    "status": "Completed",
    "createdAt": "2025-07-04T10:21:24.730Z",
}
