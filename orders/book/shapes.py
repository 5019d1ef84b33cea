"""OpenAPI shapes, errors and examples of the order endpoints."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from exchange.api.operations import NamedSchema, closed_object
from exchange.core.documents import Document
from exchange.core.errors import IdempotencyKeyReused, RequestInProgress
from exchange.core.examples import MEMBER_ID, TOKEN_ID
from exchange.tokens.errors import RECORD_FAILURES
from exchange.tokens.payloads import TOKEN
from orders.book import examples
from orders.book.payloads import ORDER
from wallets.freezes.errors import BLOCKED_FAILURES

DEFAULT_LEVELS = 20


MAX_LEVELS = 200


ORDER_WITH_TOKEN = Document(
    name="OrderWithToken",
    table=ORDER.table,
    fields=tuple(
        replace(field, schema={"allOf": [TOKEN], "description": "The token"})
        if field.name == "token"
        else field
        for field in ORDER.fields
    ),
    example=examples.ORDER_WITH_TOKEN,
)


_LEVEL: dict[str, Any] = closed_object(
    {
        "price": {"type": "number", "description": "Price per unit"},
        "tokens": {"type": "number", "description": "Units open at this price"},
        "orders": {"type": "integer", "minimum": 1, "description": "Number of orders"},
    }
)


BOOK = NamedSchema(
    "Book",
    closed_object(
        {
            "bids": {"type": "array", "items": _LEVEL, "description": "Buy orders, highest first"},
            "asks": {"type": "array", "items": _LEVEL, "description": "Sell orders, lowest first"},
        }
    ),
    examples.BOOK,
)


LEVELS_PARAMETER = OpenApiParameter(
    "levels",
    {"type": "integer", "minimum": 1, "default": DEFAULT_LEVELS},
    description=f"Price levels per side, from 1; a larger value counts as {MAX_LEVELS}",
)


BUY_EXAMPLE = OpenApiExample(
    "A member buys",
    value={
        "token_id": TOKEN_ID,
        "type": "Buy",
        "price": 102.5,
        "tokens": 12.25,
        "user_id": MEMBER_ID,
        "client_order_id": "2025-07-04/17",
    },
    request_only=True,
)


SELL_EXAMPLE = OpenApiExample(
    "For an outside customer",
    summary="For an external customer",
    value={
        "token_id": TOKEN_ID,
        "type": "Sell",
        "price": 104,
        "tokens": 3,
        "customer": {"name": "Wanjiru Kamau", "email": "wanjiru@example.com"},
    },
    request_only=True,
)


ORDER_NOT_FOUND = {"order_not_found": "Order not found"}


TOKEN_NOT_FOUND = {"token_not_found": "Token not found"}


_KEY_REUSED = {IdempotencyKeyReused.code: IdempotencyKeyReused().message}


_STILL_RUNNING = {RequestInProgress.code: RequestInProgress().message}


PLACE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "price must not have more than 2 decimals; tokens is required",
        "token_cancelled": "The token is cancelled",
        "token_exited": "The token has exited",
        "token_closed": "The token is closed to new orders",
        "in_primary_raise": "The token is in its primary raise: it can be bought, not sold",
        "own_raise": "An issuer cannot buy in its own raise",
        "below_offer": "In the primary raise a unit costs 100: price must be at least that",
        "not_in_secondaries": "The token does not trade in the secondary market",
        "price_out_of_band": "The price of a buy order must be at least 90 and at most 110",
        "worth_nothing": "The order is worth less than the smallest unit of the currency",
        "amount_too_large": "price times tokens must not be above 1000000000000000",
        "below_min_trade": "A buy order must be worth at least 500: it is worth 102.5",
        "above_max_trade": "A buy order must be worth at most 10000: it is worth 10250",
        "insufficient_balance": "Insufficient NGN balance. Available: 100.5, requested: 2000",
        "insufficient_units": "Insufficient units. Available: 2.5, requested: 3",
    },
    "404": {**TOKEN_NOT_FOUND, "user_not_found": "User not found"},
    "409": {
        "member_closed": "This member is closed",
        "duplicate_client_order_id": "There is an order with client_order_id 17 already",
        "client_reference_taken": "There is an order with client_reference INV-17 already",
        **BLOCKED_FAILURES,
        **RECORD_FAILURES,
        **_STILL_RUNNING,
    },
    "422": _KEY_REUSED,
}


CANCEL_FAILURES: dict[str, dict[str, str]] = {
    "404": ORDER_NOT_FOUND,
    "409": {
        "state_conflict": "Only an Active order can be cancelled: it is Fulfilled",
        **_STILL_RUNNING,
    },
    "413": {},
    "415": {},
    "422": _KEY_REUSED,
}
