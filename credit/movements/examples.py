"""Example of a movement in the API documentation."""

from typing import Any

from exchange.core.examples import MEMBER_ID
from orders.book.examples import ORDER_ID
from orders.trades.examples import TRADE

MOVEMENT: dict[str, Any] = {
    "_id": "0197d36b-8c11-7c3e-9b7a-5f6e7d8c9b02",
    "transfer": "0197d36b-8c11-7a52-8a66-0d1e2f3a4b5c",
    "owner": MEMBER_ID,
    "owner_model": "user",
    "type": "trade",
    "currency": "NGN",
    "account": "reserved",
    "amount": -1005,
    "balance_after": 0,
    "fee": 5,
    "reference": f"trade:{TRADE['_id']}",
    "client_reference": "purchase-17",
    "record": "trade",
    "subject": TRADE["_id"],
    "order": ORDER_ID,
    "description": None,
    "createdAt": TRADE["createdAt"],
}
