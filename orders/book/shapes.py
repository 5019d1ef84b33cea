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
from orders.book.cancelling import NOT_CANCELLED, Cancellation
from orders.book.payloads import ORDER
from orders.book.previews import OrderPreview
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
        "post_only_in_raise": (
            "In the primary raise every order is filled at once: none is post-only"
        ),
        "already_expired": "expires_at has passed",
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
        "token_halted": (
            "Trading of the token is halted: orders can be cancelled, and none is accepted"
        ),
        "no_liquidity": "No order of another owner is in the book at a price within the band",
        "not_fillable": "The order cannot be filled completely at once",
        "would_take": "The order would be filled at once",
        "duplicate_client_order_id": "There is an order with client_order_id 17 already",
        "client_reference_taken": "There is an order with client_reference INV-17 already",
        **BLOCKED_FAILURES,
        **RECORD_FAILURES,
        **_STILL_RUNNING,
    },
    "422": _KEY_REUSED,
}


_OF_AMENDMENTS = {
    "400": {"below_filled": "tokens must be above what is filled: 4"},
    "404": ORDER_NOT_FOUND,
    "409": {
        "state_conflict": "Only an Active order can be amended: it is Fulfilled",
        "filled_changed": "The order is filled differently than expected_filled says: 4.5",
        "terms_changed": (
            "Fees or limits of the token have changed since the order was placed: cancel it, and"
            " place another one"
        ),
    },
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
                        "code": {"type": "string", "description": "As in X-Error-Code"},
                        "message": {"type": "string", "description": "The reason"},
                    }
                ),
            },
            "price": {
                "type": ["number", "null"],
                "description": "Its limit; of a market order the worst price that it takes, null "
                "where there is nothing to take",
            },
            "reserve": {
                "type": ["number", "null"],
                "description": "What must be available: money of a Buy with its fee, units of a "
                "Sell",
            },
            "filled": {"type": "number", "description": "Units filled at once"},
            "filled_value": {"type": "number", "description": "Their value, without the fee"},
            "fee": {"type": "number", "description": "Their fee"},
            "average_price": {
                "type": ["number", "null"],
                "description": "Their average price, to 8 decimals; null without any",
            },
            "worst_price": {
                "type": ["number", "null"],
                "description": "The least favourable of their prices; null without any",
            },
            "rests": {"type": "number", "description": "Units that stay in the book"},
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


def preview_data(found: OrderPreview) -> dict[str, Any]:
    """Return the response data of a preview."""
    return {
        "acceptable": not found.refusals,
        "refusals": [
            {"code": refusal.code, "message": refusal.message} for refusal in found.refusals
        ],
        "price": found.price,
        "reserve": found.needs,
        "filled": found.filled,
        "filled_value": found.filled_value,
        "fee": found.fee,
        "average_price": found.average_price,
        "worst_price": found.worst_price,
        "rests": found.rests,
    }


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
                        "_id": {"type": "string", "description": "Order ID"},
                        "code": {
                            "type": "string",
                            "enum": [NOT_CANCELLED],
                            "description": "Why not: `try_again`",
                        },
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
