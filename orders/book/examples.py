"""Example orders and order book, consistent with `exchange.core.examples`."""

from typing import Any

from exchange.core.examples import MEMBER_ID, TOKEN_ID
from exchange.tokens.examples import TOKEN

ORDER_ID = "0197d2d8-90b3-7f5c-a1e4-2b3c4d5e6f70"


PLACED_AT = "2025-07-04T07:34:55.219Z"


# A member sells 12 units at 106; 4 are filled.
ORDER: dict[str, Any] = {
    "_id": ORDER_ID,
    "price": 106,
    "amount": 1272,
    "type": "Sell",
    "owner_model": "user",
    "status": "Active",
    "user": MEMBER_ID,
    "token": TOKEN_ID,
    "customer": {"name": "", "email": ""},
    "api_customer_email": None,
    "meta": {
        "tokens": 12,
        "filled": 4,
        "average_price": 106,
        "filled_value": 424,
        "fee": 2.12,
        "order_type": "limit",
        "time_in_force": "GTC",
        "post_only": False,
        "expires_at": None,
        "requested_amount": None,
    },
    "createdAt": PLACED_AT,
    "updatedAt": PLACED_AT,
}


ORDER_WITH_TOKEN: dict[str, Any] = {**ORDER, "token": TOKEN}


BOOK: dict[str, Any] = {
    "seq": 4108,
    "bids": [
        {"price": 105, "tokens": 40, "orders": 2},
        {"price": 104.5, "tokens": 15, "orders": 1},
    ],
    "asks": [{"price": 106, "tokens": 8, "orders": 1}],
}
