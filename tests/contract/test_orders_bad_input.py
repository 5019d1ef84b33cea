"""Orders that are not well formed: a 400 that names every bad field, and nothing moves.

Every value that a field refuses is in tests/orders/book/test_order_inputs.py.
"""

import json
from typing import Any

import pytest

from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error
from tests.factories.market import ORDERS, Market, body_of


@pytest.fixture(scope="module")
def market(module_database: None) -> Market:
    return Market()


def with_text(body: dict[str, Any], field: str, text: str) -> str:
    """`body` as JSON, with `text` as it stands for the value of `field`."""
    return json.dumps({**body, field: "<>"}).replace('"<>"', text, 1)


# One of each rule of the parser, and of what is checked with the token.
@pytest.mark.parametrize("field", ["price", "tokens"])
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0", "must be above 0"),
        ("-0", "must not be negative"),
        ('"100"', "must be a number"),
        ("null", "is required"),
        ("1000000000000001", "must not be above 1000000000000000"),
        ("0.000000001", "must not have more than 8 decimals"),
    ],
)
def test_what_is_no_number_above_zero_is_refused(market: Market, field, text, complaint):
    with assert_nothing_changes():
        response = market.buyer.caller.post(ORDERS, with_text(body_of(market.token), field, text))
    assert_error(response, 400, "invalid_request", f"{field} {complaint}")


@pytest.mark.parametrize("text", ["100.001", "1e-8", "99.99999999"])
def test_a_price_has_at_most_the_decimals_of_its_currency(market: Market, text):
    with assert_nothing_changes():
        response = market.buyer.caller.post(ORDERS, with_text(body_of(market.token), "price", text))
    assert_error(response, 400, "invalid_request", "price must not have more than 2 decimals")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"type": "Hold"}, "type must be one of [Buy, Sell]"),
        ({"token_id": 5}, "token_id must be a string"),
        ({"user_id": ""}, "user_id must not be blank"),
        ({"client_order_id": "x" * 65}, "client_order_id must have at most 64 characters"),
        ({"customer": []}, "customer must be an object"),
        ({"customer": {"name": "Ada"}}, "customer.email is required"),
        (
            {"customer": {"name": "Ada", "email": "ada"}, "user_id": 1, "price": "x", "type": "x"},
            "type must be one of [Buy, Sell]; price must be a number; user_id must be a string; "
            "customer.email must be an email address",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_field_that_is_not_right_is_named(market: Market, changes, message):
    with assert_nothing_changes():
        response = market.buyer.send(market.token, **changes)
    assert_error(response, 400, "invalid_request", message)


def test_an_empty_object_names_all_that_is_missing(market: Market):
    with assert_nothing_changes():
        response = market.buyer.caller.post(ORDERS, "{}")
    message = "token_id is required; type is required; price is required; tokens is required"
    assert_error(response, 400, "invalid_request", message)


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
    with assert_nothing_changes():
        response = market.buyer.caller.post(ORDERS, body)
    assert_error(response, status, code)


def test_a_form_is_no_order(market: Market):
    with assert_nothing_changes():
        response = market.buyer.caller.client.post(
            ORDERS, {"type": "Buy"}, headers=market.buyer.caller.headers
        )
    assert_error(response, 415, "unsupported_media_type")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_orders_are_not_changed_in_place(market: Market, method):
    with assert_nothing_changes():
        response = market.buyer.caller.call(method, ORDERS)
    assert_error(response, 405, "method_not_allowed", f"{method} is not allowed here")
    assert response["Allow"] == "GET, POST, DELETE, HEAD, OPTIONS"
