"""`Idempotency-Key` on placing orders: one effect, one answer."""

import json

import pytest

from orders.book.models import Order
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error
from tests.factories.lifecycle import set_flags
from tests.factories.market import ORDERS, Market, body_of


@pytest.fixture
def market(transactional_db: None) -> Market:
    return Market()


def send(market: Market, key: str, **changes):
    return market.buyer.caller.post(ORDERS, body_of(market.token, **changes), Idempotency_Key=key)


@pytest.mark.parametrize("member", [False, True])
def test_the_same_key_and_body_give_the_same_bytes_and_no_second_effect(market: Market, member):
    # The wallet affords one, so a second effect could not hide behind a refusal either.
    changes = {"tokens": 900, **({"user_id": str(market.buyer.member.id)} if member else {})}
    first = send(market, "key 1", **changes)
    assert first.status_code == 201, first.content
    assert "Idempotent-Replayed" not in first
    with assert_nothing_changes():
        again = send(market, "key 1", **changes)
    assert (again.status_code, again.content) == (201, first.content)
    assert again["Idempotent-Replayed"] == "true"
    assert Order.objects.count() == 1


def test_the_first_answer_is_given_again_whatever_became_of_the_order_and_the_token(
    market: Market,
):
    first = send(market, "k")
    order_id = json.loads(first.content)["data"]["_id"]
    market.sell()
    set_flags(market.token, closed=True)
    assert market.buyer.fetch(order_id)["status"] == "Fulfilled"
    with assert_nothing_changes():
        again = send(market, "k")
    assert again.content == first.content
    assert b'"status":"Active"' in again.content


def test_an_answer_about_a_trade_is_given_again_too(market: Market):
    market.sell(tokens=4)
    first = send(market, "k")
    assert b'"filled":4,' in first.content
    market.sell(tokens=3)
    with assert_nothing_changes():
        again = send(market, "k")
    assert again.content == first.content


def test_field_order_and_number_spelling_do_not_make_another_body(market: Market):
    first = send(market, "k", price=100, tokens=2.5)
    turned = dict(reversed(body_of(market.token, price=100, tokens=2.5).items()))
    text = json.dumps(turned).replace("100", "1.00e2", 1).replace("2.5", "2.500", 1)
    again = market.buyer.caller.post(ORDERS, text, Idempotency_Key="k")
    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    "change", [{"tokens": 11}, {"price": 99}, {"type": "buy"}, {"note": "x"}, {"customer": None}]
)
def test_the_same_key_with_another_body_is_a_422(market: Market, change):
    assert send(market, "k").status_code == 201
    if change == {"customer": None}:
        change = {"customer": {"name": "A", "email": "a@example.com"}}
    with assert_nothing_changes():
        response = send(market, "k", **change)
    message = "This Idempotency-Key was already used with another request body"
    assert_error(response, 422, "idempotency_key_reused", message)


def test_a_refusal_is_not_kept(market: Market):
    with assert_nothing_changes():
        assert_error(send(market, "k", tokens=1001), 400, "insufficient_balance")
    market.buyer.fund(1000)
    assert send(market, "k", tokens=1001).status_code == 201


def test_a_key_belongs_to_one_organisation(market: Market):
    assert send(market, "shared").status_code == 201
    response = market.seller.caller.post(
        ORDERS, body_of(market.token, type="Sell", price=120), Idempotency_Key="shared"
    )
    assert response.status_code == 201, response.content
    assert "Idempotent-Replayed" not in response


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "tab\there", "é"])
def test_a_key_that_is_none_is_refused(market: Market, key):
    with assert_nothing_changes():
        response = send(market, key)
    message = "Idempotency-Key must be 1 to 255 printable ASCII characters"
    assert_error(response, 400, "invalid_request", message)
