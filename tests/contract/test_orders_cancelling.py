"""Cancelling orders over HTTP: what is freed, what is told, who may, and once only."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache

from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.lifecycle import set_flags
from tests.factories.market import ORDER_FIELDS, ORDERS, Market, events, order_meta
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import exact_json
from wallets.ledger.models import Transfer


@pytest.fixture
def market(transactional_db: None) -> Market:
    return Market(buy_fee=Decimal(1), sell_fee=Decimal(1))


@pytest.mark.parametrize("model", ["organisation", "user", "api_key"])
@pytest.mark.parametrize("side", ["Buy", "Sell"])
@pytest.mark.one_in(3)
def test_cancelling_frees_what_was_reserved_and_answers_the_order(market: Market, side, model):
    trader = market.buyer if side == "Buy" else market.seller
    owners: dict[str, dict[str, Any]] = {
        "organisation": {},
        "user": {"user_id": str(trader.member.id)},
        "api_key": {"customer": {"name": "A", "email": "a@example.com"}},
    }
    asset: Any = "NGN" if side == "Buy" else market.token
    member = model == "user"
    before = trader.held(asset, member=member)
    placed = trader.place(market.token, type=side, **owners[model])
    assert trader.held(asset, "reserved", member=member) > 0
    response = trader.cancel(placed["_id"])
    assert response.status_code == 200, response.content
    body = exact_json(response)
    assert body["message"] == "Order cancelled"
    assert list(body["data"]) == ORDER_FIELDS
    changed = {"status": "Cancelled", "updatedAt": body["data"]["updatedAt"]}
    assert body["data"] == {**placed, **changed}
    assert trader.fetch(placed["_id"]) == body["data"]
    assert trader.held(asset, member=member) == before
    assert trader.held(asset, "reserved", member=member) == 0
    assert_books_hold()


def test_only_the_open_rest_is_cancelled(market: Market):
    buy = market.buy(tokens=10, price=101)
    market.sell(tokens=4, price=100)
    response = market.buyer.cancel(buy["_id"])
    assert exact_json(response)["data"]["meta"] == order_meta(10, 4, 404, fee=Decimal("4.04"))
    assert exact_json(response)["data"]["status"] == "Cancelled"
    assert market.buyer.held(market.token) == 4
    # 4 at 101, the price of the order that waited, and 1 percent.
    assert market.buyer.held("NGN") == 100_000 - Decimal("408.04")
    assert market.buyer.held("NGN", "reserved") == 0
    assert_books_hold()


def test_a_cancelled_order_trades_no_more(market: Market):
    buy = market.buy()
    market.buyer.cancel(buy["_id"])
    assert market.sell(price=1)["meta"]["filled"] == 0
    assert_books_hold()


def test_order_cancelled_is_told_to_the_owner_with_exactly_this_body(market: Market):
    buy = market.buy()
    response = market.buyer.cancel(buy["_id"])
    organisation, kind, data = events()[-1]
    assert (organisation, kind) == (market.buyer.organisation.id, "order.cancelled")
    assert data == {"order": json.loads(response.content)["data"], "reason": None}
    assert len(events()) == 2


@pytest.mark.parametrize("status", ["Cancelled", "Fulfilled"])
def test_an_order_that_is_over_cannot_be_cancelled(market: Market, status):
    buy = market.buy()
    if status == "Fulfilled":
        market.sell()
    else:
        market.buyer.cancel(buy["_id"])
    with assert_nothing_changes():
        response = market.buyer.cancel(buy["_id"])
    message = f"Only an Active order can be cancelled: it is {status}"
    assert_error(response, 409, "state_conflict", message)


def test_somebody_elses_order_cannot_be_cancelled_though_it_can_be_seen(market: Market):
    buy = market.buy()
    for stranger in (market.seller.caller, make_caller()):
        assert stranger.get(f"{ORDERS}/{buy['_id']}").status_code == 200
        with assert_nothing_changes():
            response = stranger.call("DELETE", f"{ORDERS}/{buy['_id']}")
        assert_error(response, 404, "order_not_found", "Order not found")


def test_any_key_of_the_organisation_cancels_and_can_be_named(market: Market):
    buy = market.buy(user_id=str(market.buyer.member.id))
    second = make_caller(["orders:write"], market.buyer.organisation)
    response = second.call("DELETE", f"{ORDERS}/{buy['_id']}")
    assert response.status_code == 200, response.content
    assert exact_json(response)["data"]["status"] == "Cancelled"
    assert Transfer.objects.get(kind="order_release").actor == f"api_key:{second.key.pk}"


@pytest.mark.parametrize("flag", ["closed", "exited"])
def test_an_order_left_on_a_token_that_ended_can_still_be_cancelled(market: Market, flag):
    buy = market.buy()
    set_flags(market.token, **{flag: True})
    assert market.buyer.cancel(buy["_id"]).status_code == 200
    assert market.buyer.held("NGN") == 100_000
    assert_books_hold()


def test_cancelling_again_under_the_same_key_gives_the_same_bytes(market: Market):
    buy = market.buy()
    first = market.buyer.cancel(buy["_id"], Idempotency_Key="c")
    assert first.status_code == 200, first.content
    assert "Idempotent-Replayed" not in first
    with assert_nothing_changes():
        again = market.buyer.cancel(buy["_id"], Idempotency_Key="c")
    assert (again.status_code, again.content) == (200, first.content)
    assert again["Idempotent-Replayed"] == "true"
    with assert_nothing_changes():
        assert_error(market.buyer.cancel(buy["_id"], Idempotency_Key="d"), 409, "state_conflict")


def test_a_key_belongs_to_one_order(market: Market):
    for _ in range(2):
        buy = market.buy()
        response = market.buyer.cancel(buy["_id"], Idempotency_Key="c")
        assert response.status_code == 200
        assert "Idempotent-Replayed" not in response
        assert exact_json(response)["data"]["_id"] == buy["_id"]


def test_cancelling_counts_as_a_request_and_not_as_a_money_moving_post(
    market: Market, settings, still_minute
):
    settings.RATE_LIMITS_ENABLED = True
    settings.RATE_LIMITS = {"requests": 3, "money": 2, "token": 3}
    cache.clear()
    buys = [market.buy(tokens=1)["_id"] for _ in range(2)]
    # Three requests in all: two orders took both POSTs, and cancelling is none.
    first, second = (market.buyer.cancel(buy) for buy in buys)
    assert (first.status_code, first["X-RateLimit-Limit"]) == (200, "3")
    assert first["X-RateLimit-Remaining"] == "0"
    assert_error(second, 429, "rate_limited")
    cache.clear()
    assert market.buyer.fetch(buys[1])["status"] == "Active"
