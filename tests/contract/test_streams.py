"""The endpoint of streams over HTTP: bad channels, rights, and processes that serve none."""

import pytest

from exchange.core.ids import uuid7
from orders.streams.channels import MOST_CHANNELS
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.market import ApiTrader, Market
from tests.factories.tokens import make_token

STREAM = "/v1/stream"

pytestmark = pytest.mark.django_db


def test_channels_that_are_not_known_are_named():
    caller = make_caller()
    for channels in ("", ",", "book", "candles:1", "trade:1", "Book:1"):
        assert_error(caller.get(STREAM, {"channels": channels}), 400, "invalid_request")
    assert_error(caller.get(STREAM), 400, "invalid_request")
    many = ",".join(f"book:{uuid7()}" for _ in range(1000))
    refused = caller.get(STREAM, {"channels": many})
    assert_error(refused, 400, "invalid_request")
    assert f"1 to {MOST_CHANNELS}" in refused.json()["message"]
    refused = caller.get(STREAM, {"channels": "candles:1"})
    assert "book:{token_id}" in refused.json()["message"]


def test_tokens_that_the_caller_does_not_see_are_not_found():
    caller, hidden = make_caller(), make_token(deal_access="Private")
    seen = make_token()
    for token in ("none", uuid7(), hidden.id):
        for channels in (f"book:{token}", f"book:{seen.id},trades:{token}"):
            assert_error(caller.get(STREAM, {"channels": channels}), 404, "token_not_found")


def test_streams_need_the_scope_and_a_token():
    caller = make_caller(scopes=["members:read"])
    channels = {"channels": f"book:{make_token().id}"}
    assert caller.get(STREAM, channels).status_code == 403
    assert caller.client.get(STREAM, channels).status_code == 401


def test_a_process_of_the_api_says_that_it_serves_no_streams():
    market = Market()
    trader: ApiTrader = market.buyer
    answer = trader.caller.get(STREAM, {"channels": f"book:{market.token.id}"})
    assert_error(answer, 503, "not_ready")
    assert "Retry-After" not in answer


def test_the_book_has_the_number_of_its_state():
    market = Market()
    book = market.buyer.caller.get(market.path("/book")).json()["data"]
    assert book["seq"] == 0
    order = market.buy(price=100, tokens=1)
    market.buyer.amend(order["_id"], {"price": 101})
    market.buyer.cancel(order["_id"])
    book = market.buyer.caller.get(market.path("/book")).json()["data"]
    assert book == {"seq": 3, "bids": [], "asks": []}
