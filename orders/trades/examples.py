"""An example trade."""

from typing import Any

from exchange.core.examples import TOKEN_ID
from orders.book.examples import ORDER_ID, PLACED_AT

TRADE: dict[str, Any] = {
    "_id": "0197d2d8-90b3-7d81-b0c2-7a8b9c0d1e2f",
    "token": TOKEN_ID,
    "price": 106,
    "tokens": 4,
    "amount": 424,
    "type": "Sell",
    "createdAt": PLACED_AT,
}


MARKET_TRADE: dict[str, Any] = {**TRADE, "buy_order": None, "sell_order": ORDER_ID}


FILL: dict[str, Any] = {
    "trade_id": TRADE["_id"],
    "price": 106,
    "tokens": 4,
    "value": 424,
    "fee": 2.12,
    "liquidity": "taker",
    "createdAt": PLACED_AT,
}


ORDER_FILL: dict[str, Any] = {
    **FILL,
    "order": ORDER_ID,
    "client_order_id": "client-7",
    "type": "Buy",
    "token": TOKEN_ID,
}
