"""Invalid order bodies, at their parser: the message of each error.

That `POST /v1/orders` uses it, and that nothing moves, is tested in tests/contract.
"""

import json
from typing import Any
from uuid import UUID

import pytest

from orders.book.serializers import OrderInput
from tests.assertions.inputs import assert_rejected, body_error

LIMIT = "1000000000000000"
BODY = {"token_id": str(UUID(int=1)), "type": "Buy", "price": 100, "tokens": 10}
NUMBERS = [
    ("0", "must be above 0"),
    ("0.0", "must be above 0"),
    ("0e9", "must be above 0"),
    ("-0", "must not be negative"),
    ("-0.0", "must not be negative"),
    ("-1", "must not be negative"),
    ("-1e400", "must not be negative"),
    ('"100"', "must be a number"),
    ('""', "must be a number"),
    ("true", "must be a number"),
    ("false", "must be a number"),
    ("[100]", "must be a number"),
    ('{"value": 100}', "must be a number"),
    ("NaN", "must be a number"),
    ("Infinity", "must be a number"),
    ("-Infinity", "must be a number"),
    ("null", "is required"),
    (f"{LIMIT}.01", f"must not be above {LIMIT}"),
    ("1000000000000001", f"must not be above {LIMIT}"),
    ("1e16", f"must not be above {LIMIT}"),
    ("1e400", f"must not be above {LIMIT}"),
    ("9" * 5000, f"must not be above {LIMIT}"),
    *(
        (text, "must not have more than 8 decimals")
        for text in (
            "0.000000001",
            "1.123456789",
            "1e-9",
            "1e-400",
            "100.0000000000000000000000001",
        )
    ),
]
FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"type": "Hold"}, "type must be one of [Buy, Sell]"),
    ({"type": ""}, "type must be one of [Buy, Sell]"),
    ({"type": " Buy"}, "type must be one of [Buy, Sell]"),
    ({"type": 1}, "type must be one of [Buy, Sell]"),
    ({"type": True}, "type must be one of [Buy, Sell]"),
    ({"type": ["Buy"]}, "type must be one of [Buy, Sell]"),
    ({"type": None}, "type is required"),
    ({"token_id": None}, "token_id is required"),
    ({"token_id": 5}, "token_id must be a string"),
    ({"token_id": True}, "token_id must be a string"),
    ({"token_id": ""}, "token_id must not be blank"),
    ({"token_id": "  "}, "token_id must not be blank"),
    ({"user_id": ""}, "user_id must not be blank"),
    ({"user_id": 5}, "user_id must be a string"),
    ({"user_id": {}}, "user_id must be a string"),
    ({"client_order_id": ""}, "client_order_id must not be blank"),
    ({"client_order_id": 17}, "client_order_id must be a string"),
    ({"client_order_id": "x" * 65}, "client_order_id must have at most 64 characters"),
    ({"client_order_id": "a\tb"}, "client_order_id must not contain control characters"),
    ({"client_order_id": "a\x00"}, "client_order_id must not contain NUL characters"),
    ({"customer": "Ada"}, "customer must be an object"),
    ({"customer": []}, "customer must be an object"),
    ({"customer": False}, "customer must be an object"),
    ({"customer": {}}, "customer.name is required; customer.email is required"),
    ({"customer": {"name": "Ada"}}, "customer.email is required"),
    ({"customer": {"email": "a@example.com"}}, "customer.name is required"),
    ({"customer": {"name": " ", "email": "a@example.com"}}, "customer.name must not be blank"),
    (
        {"customer": {"name": None, "email": None}},
        "customer.name is required; customer.email is required",
    ),
    (
        {"customer": {"name": "x" * 201, "email": "a@example.com"}},
        "customer.name must have at most 200 characters",
    ),
    (
        {"customer": {"name": "a\u202eb", "email": "a@example.com"}},
        "customer.name must not contain invisible or direction-changing characters",
    ),
    (
        {"customer": {"name": "Ada", "email": "ada"}},
        "customer.email must be an email address",
    ),
    (
        {"customer": {"name": "Ada", "email": "ada"}, "user_id": 1, "price": "x", "type": "x"},
        "type must be one of [Buy, Sell]; price must be a number; user_id must be a string; "
        "customer.email must be an email address",
    ),
]


def parse(body: str) -> Any:
    return body_error(OrderInput, body)


@pytest.mark.parametrize("field", ["price", "tokens"])
def test_values_other_than_a_number_above_zero_are_refused(field):
    frame = json.dumps({**BODY, field: "<>"})
    assert_rejected(
        parse, ((frame.replace('"<>"', text), f"{field} {message}") for text, message in NUMBERS)
    )
    for text in ("0.00000001", "100.10000000000", LIMIT, "1e15"):
        assert parse(frame.replace('"<>"', text)) is None


def test_a_field_that_is_not_right_is_named():
    assert_rejected(
        parse, ((json.dumps({**BODY, **changes}), message) for changes, message in FIELDS)
    )


def test_a_field_that_is_missing_is_named():
    for field in BODY:
        body = {name: value for name, value in BODY.items() if name != field}
        assert_rejected(parse, [(json.dumps(body), f"{field} is required")])
    message = "token_id is required; type is required; price is required; tokens is required"
    assert_rejected(parse, [("{}", message)])


@pytest.mark.parametrize("side", ["Buy", "buy", "SELL", "Sell"])
def test_a_side_is_taken_in_any_case(side):
    body = {**BODY, "type": side, "customer": {"name": "A", "email": "a@example.com"}}
    made = OrderInput(data={**body, "client_order_id": "x" * 64})
    made.is_valid(raise_exception=True)
    assert made.validated_data["type"] == side.capitalize()
