"""Orders that are not well formed: a 400 that names every bad field, and nothing moves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.access import failed
from tests.support.ordering import ORDERS, Market, body_of, nothing_moves

LIMIT = "1000000000000000"


@pytest.fixture
def market(transactional_db: None) -> Market:
    return Market()


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
    ("null", "must not be null"),
    (f"{LIMIT}.01", f"must not be above {LIMIT}"),
    ("1000000000000001", f"must not be above {LIMIT}"),
    ("1e16", f"must not be above {LIMIT}"),
    ("1e400", f"must not be above {LIMIT}"),
    ("9" * 5000, f"must not be above {LIMIT}"),
]


def with_text(body: dict[str, Any], field: str, text: str) -> str:
    """`body` as JSON, with `text` as it stands for the value of `field`."""
    return json.dumps({**body, field: "<>"}).replace('"<>"', text, 1)


@pytest.mark.parametrize("field", ["price", "tokens"])
@pytest.mark.parametrize(("text", "complaint"), NUMBERS, ids=[n[0][:20] for n in NUMBERS])
def test_what_is_no_number_above_zero_is_refused(market: Market, field, text, complaint):
    with nothing_moves():
        response = market.buyer.caller.post(ORDERS, with_text(body_of(market.token), field, text))
    failed(response, 400, "invalid_request", f"{field} {complaint}")


@pytest.mark.parametrize("field", ["price", "tokens"])
@pytest.mark.parametrize(
    "text", ["0.000000001", "1.123456789", "1e-9", "1e-400", "100.0000000000000000000000001"]
)
def test_nothing_has_more_than_eight_decimals(market: Market, field, text):
    with nothing_moves():
        response = market.buyer.caller.post(ORDERS, with_text(body_of(market.token), field, text))
    failed(response, 400, "invalid_request", f"{field} must not have more than 8 decimals")


@pytest.mark.parametrize("text", ["100.001", "1e-8", "99.99999999"])
def test_a_price_has_at_most_the_decimals_of_its_currency(market: Market, text):
    with nothing_moves():
        response = market.buyer.caller.post(ORDERS, with_text(body_of(market.token), "price", text))
    failed(response, 400, "invalid_request", "price must not have more than 2 decimals")


BODIES: list[tuple[dict[str, Any], str]] = [
    ({"type": "Hold"}, "type must be one of [Buy, Sell]"),
    ({"type": ""}, "type must be one of [Buy, Sell]"),
    ({"type": " Buy"}, "type must be one of [Buy, Sell]"),
    ({"type": 1}, "type must be one of [Buy, Sell]"),
    ({"type": True}, "type must be one of [Buy, Sell]"),
    ({"type": ["Buy"]}, "type must be one of [Buy, Sell]"),
    ({"type": None}, "type must not be null"),
    ({"token_id": None}, "token_id must not be null"),
    ({"token_id": 5}, "token_id must be a string"),
    ({"token_id": True}, "token_id must be a string"),
    ({"token_id": "  "}, "token_id must not be blank"),
    ({"user_id": None}, "user_id must not be null"),
    ({"user_id": ""}, "user_id must not be blank"),
    ({"user_id": 5}, "user_id must be a string"),
    ({"user_id": {}}, "user_id must be a string"),
    ({"client_order_id": None}, "client_order_id must not be null"),
    ({"client_order_id": ""}, "client_order_id must not be blank"),
    ({"client_order_id": 17}, "client_order_id must be a string"),
    ({"client_order_id": "x" * 65}, "client_order_id must have at most 64 characters"),
    ({"client_order_id": "a\tb"}, "client_order_id must not contain control characters"),
    ({"client_order_id": "a\x00"}, "client_order_id must not contain NUL characters"),
    ({"customer": None}, "customer must not be null"),
    ({"customer": "Ada"}, "customer must be an object"),
    ({"customer": []}, "customer must be an object"),
    ({"customer": False}, "customer must be an object"),
    ({"customer": {}}, "customer.name is required; customer.email is required"),
    ({"customer": {"name": "Ada"}}, "customer.email is required"),
    ({"customer": {"email": "a@example.com"}}, "customer.name is required"),
    ({"customer": {"name": " ", "email": "a@example.com"}}, "customer.name must not be blank"),
    (
        {"customer": {"name": None, "email": None}},
        "customer.name must not be null; customer.email must not be null",
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


@pytest.mark.parametrize(("changes", "message"), BODIES, ids=[str(b[0])[:60] for b in BODIES])
def test_a_field_that_is_not_right_is_named(market: Market, changes, message):
    with nothing_moves():
        response = market.buyer.send(market.token, **changes)
    failed(response, 400, "invalid_request", message)


@pytest.mark.parametrize("field", ["token_id", "type", "price", "tokens"])
def test_a_field_that_is_missing_is_named(market: Market, field):
    body = body_of(market.token)
    del body[field]
    with nothing_moves():
        response = market.buyer.caller.post(ORDERS, body)
    failed(response, 400, "invalid_request", f"{field} is required")


def test_an_empty_object_names_all_that_is_missing(market: Market):
    with nothing_moves():
        response = market.buyer.caller.post(ORDERS, "{}")
    message = "token_id is required; type is required; price is required; tokens is required"
    failed(response, 400, "invalid_request", message)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("", 400, "invalid_request"),
        ("{", 400, "invalid_request"),
        ("[]", 400, "invalid_request"),
        ("null", 400, "invalid_request"),
        ('{"price": .5}', 400, "invalid_request"),
        (b'{"type": "\xff"}', 400, "invalid_request"),
        ('{"customer": ' + '{"a":' * 40 + "1" + "}" * 40 + "}", 400, "invalid_request"),
        ('{"a": "' + "x" * 70_000 + '"}', 413, "body_too_large"),
    ],
    ids=range(8),
)
def test_a_body_that_cannot_be_read_is_refused(market: Market, body, status, code):
    with nothing_moves():
        response = market.buyer.caller.post(ORDERS, body)
    failed(response, status, code)


def test_a_form_is_no_order(market: Market):
    with nothing_moves():
        response = market.buyer.caller.client.post(
            ORDERS, {"type": "Buy"}, headers=market.buyer.caller.headers
        )
    failed(response, 415, "unsupported_media_type")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_orders_are_not_changed_in_place(market: Market, method):
    with nothing_moves():
        response = market.buyer.caller.call(method, ORDERS)
    failed(response, 405, "method_not_allowed", f"{method} is not allowed here")
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"
