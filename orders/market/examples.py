"""An example ticker and an example candle, consistent with the example of the book."""

from typing import Any

from exchange.core.examples import TOKEN_ID
from orders.book.examples import PLACED_AT

TICKER: dict[str, Any] = {
    "token": TOKEN_ID,
    "last": 106,
    "last_at": PLACED_AT,
    "open": 104,
    "high": 106.5,
    "low": 103,
    "vwap": 104.78571429,
    "change": 2,
    "percentage": 1.92307692,
    "volume": 28,
    "value": 2934,
    "trades": 6,
    "bid": {"price": 105, "tokens": 40},
    "ask": {"price": 106, "tokens": 8},
}


CANDLE: dict[str, Any] = {
    "starts_at": "2025-07-04T07:00:00.000Z",
    "open": 104,
    "high": 106.5,
    "low": 103,
    "close": 106,
    "volume": 28,
    "value": 2934,
    "trades": 6,
    "final": False,
}
