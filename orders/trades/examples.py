"""An example trade."""

from __future__ import annotations

from typing import Any

from exchange.core.examples import TOKEN_ID
from orders.book.examples import PLACED_AT

TRADE: dict[str, Any] = {
    "_id": "0197d2d8-90b3-7d81-b0c2-7a8b9c0d1e2f",
    "token": TOKEN_ID,
    "price": 106,
    "tokens": 4,
    "amount": 424,
    "type": "Sell",
    "createdAt": PLACED_AT,
}
