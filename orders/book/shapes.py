"""OpenAPI shapes, errors and examples of the order endpoints."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from exchange.api.operations import NamedSchema, closed_object, number_schema, text_schema
from exchange.core.documents import Document
from exchange.core.errors import IdempotencyKeyReused, RequestInProgress
from exchange.core.examples import MEMBER_ID, TOKEN_ID
from exchange.tokens.errors import RECORD_FAILURES
from exchange.tokens.payloads import TOKEN
from orders.book import examples
from orders.book.cancelling import NOT_CANCELLED, Cancellation
from orders.book.errors import build_rejection
from orders.book.models import OrderType
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
        "price": number_schema("Price per unit"),
        "tokens": number_schema("Units open at this price"),
        "orders": {"type": "integer", "minimum": 1, "description": "Number of orders"},
    }
)


BOOK = NamedSchema(
    "Book",
    closed_object(
        {
            "seq": {
                "type": "integer",
                "minimum": 0,
                "description": "Number of this state of the book, higher after every change; "
                "as in streams",
            },
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


MARKET_EXAMPLE = OpenApiExample(
    "For a sum of money",
    value={"token_id": TOKEN_ID, "type": "Buy", "order_type": "market", "amount": 5000},
    request_only=True,
)


AMEND_EXAMPLE = OpenApiExample(
    "Another price",
    value={"price": 103, "tokens": 10, "expected_filled": 4},
    request_only=True,
)


ORDER_NOT_FOUND = {"order_not_found": "Order not found"}


TOKEN_NOT_FOUND = {"token_not_found": "Token not found"}


_KEY_REUSED = {IdempotencyKeyReused.code: IdempotencyKeyReused().message}


_STILL_RUNNING = {RequestInProgress.code: RequestInProgress().message}


def _messages(**details: dict[str, Any]) -> dict[str, str]:
    """Return the messages of rejections by code, each with an example of its details."""
    found = {}
    for code, detail in details.items():
        error = build_rejection(code, detail, side=OrderType.BUY)
        if error is None:
            raise KeyError(code)
        found[code] = error.message
    return found


PLACE_FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "price must not have more than 2 decimals; tokens is required",
        **_messages(
            token_cancelled={},
            token_exited={},
            token_closed={},
            in_primary_raise={},
            own_raise={},
            below_offer={"price": 100},
            not_in_secondaries={},
            post_only_in_raise={},
            already_expired={},
            price_out_of_band={"lowest": 90, "highest": 110},
            worth_nothing={},
            amount_too_large={},
            below_min_trade={"least": 500, "amount": 102.5},
            above_max_trade={"most": 10000, "amount": 10250},
            insufficient_balance={"currency": "NGN", "available": 100.5, "requested": 2000},
            insufficient_units={"available": 2.5, "requested": 3},
        ),
    },
    "404": {**TOKEN_NOT_FOUND, "user_not_found": "User not found"},
    "409": {
        **_messages(
            member_closed={}, token_halted={}, no_liquidity={}, not_fillable={}, would_take={}
        ),
        "duplicate_client_order_id": "There is an order with client_order_id 17 already",
        "client_reference_taken": "There is an order with client_reference INV-17 already",
        **BLOCKED_FAILURES,
        **RECORD_FAILURES,
        **_STILL_RUNNING,
    },
    "422": _KEY_REUSED,
}


_OF_AMENDMENTS = {
    "400": _messages(below_filled={"filled": 4}),
    "404": ORDER_NOT_FOUND,
    "409": _messages(
        state_conflict={"status": "Fulfilled"}, filled_changed={"filled": 4.5}, terms_changed={}
    ),
}
# What can only happen to an order when it is placed.
_ONCE = {
    *("in_primary_raise", "own_raise", "below_offer", "post_only_in_raise", "no_liquidity"),
    *("not_fillable", "duplicate_client_order_id", "client_reference_taken", "user_not_found"),
}
AMEND_FAILURES: dict[str, dict[str, str]] = {
    status: {
        **{code: message for code, message in failures.items() if code not in _ONCE},
        **_OF_AMENDMENTS.get(status, {}),
    }
    for status, failures in PLACE_FAILURES.items()
}


PREVIEW = NamedSchema(
    "OrderPreview",
    closed_object(
        {
            "acceptable": {
                "type": "boolean",
                "description": "Whether the order would be accepted now",
            },
            "refusals": {
                "type": "array",
                "description": "Every rule that would refuse it",
                "items": closed_object(
                    {
                        "code": text_schema("As in X-Error-Code"),
                        "message": text_schema("The reason"),
                    }
                ),
            },
            "price": number_schema(
                "Its limit; of a market order the worst price that it takes, null where there is "
                "nothing to take",
                "null",
            ),
            "reserve": number_schema(
                "What must be available: money of a Buy with its fee, units of a Sell", "null"
            ),
            "filled": number_schema("Units filled at once"),
            "filled_value": number_schema("Their value, without the fee"),
            "fee": number_schema("Their fee"),
            "average_price": number_schema(
                "Their average price, to 8 decimals; null without any", "null"
            ),
            "worst_price": number_schema(
                "The least favourable of their prices; null without any", "null"
            ),
            "rests": number_schema("Units that stay in the book"),
        }
    ),
    {
        "acceptable": True,
        "refusals": [],
        "price": 107,
        "reserve": 1290.42,
        "filled": 8,
        "filled_value": 848,
        "fee": 4.24,
        "average_price": 106,
        "worst_price": 106,
        "rests": 4,
    },
)


PREVIEW_FAILURES: dict[str, dict[str, str]] = {
    "400": {"invalid_request": "price must be above 0; tokens is required"},
    "404": {**TOKEN_NOT_FOUND, "user_not_found": "User not found"},
}


# Without a format: a malformed one finds nothing.
_ID = {"type": "string", "pattern": r"\S"}


CHOICE_PARAMETERS = [
    OpenApiParameter("token_id", _ID, description="Orders of this token"),
    OpenApiParameter("user_id", _ID, description="Orders of this member"),
    OpenApiParameter(
        "all",
        {"type": "string", "enum": ["true"]},
        description="All open orders of the organisation and its members",
    ),
]


CANCELLATION = NamedSchema(
    "Cancellation",
    closed_object(
        {
            "cancelled": {"type": "integer", "minimum": 0, "description": "Orders cancelled"},
            "failed": {
                "type": "array",
                "description": "Orders that could not be cancelled now",
                "items": closed_object(
                    {
                        "_id": text_schema("Order ID"),
                        "code": text_schema("Why not: `try_again`", enum=[NOT_CANCELLED]),
                    }
                ),
            },
            "remaining": {
                "type": "integer",
                "minimum": 0,
                "description": "Open orders of this choice that are left",
            },
        }
    ),
    {"cancelled": 1000, "failed": [], "remaining": 240},
)


def cancellation_data(found: Cancellation) -> dict[str, Any]:
    """Return the response data of a cancellation of several orders."""
    failed = [{"_id": str(order_id), "code": NOT_CANCELLED} for order_id in found.failed]
    return {"cancelled": found.cancelled, "failed": failed, "remaining": found.remaining}


CANCEL_SEVERAL_FAILURES: dict[str, dict[str, str]] = {
    "400": {"invalid_request": "Give token_id, user_id, or all=true"},
    "404": {**TOKEN_NOT_FOUND, "user_not_found": "User not found"},
    "409": _STILL_RUNNING,
    "413": {},
    "415": {},
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
