"""Amendments of orders over HTTP: priority, money, refusals, events and idempotency."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from exchange.core.models import Change
from exchange.tokens.models import Token
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.lifecycle import halt
from tests.factories.market import ORDERS, ApiTrader, Market, events
from tests.factories.wallets import assert_books_hold, make_staff
from tests.factories.withdrawals import exact_json
from tests.orders.book.sides import move_expiry
from wallets.ledger.models import Entry

SIDES = ("buy", "sell")
UNCHANGED = ("_id", "type", "createdAt", "owner_model", "user", "token")


@pytest.fixture
def market(db: None) -> Market:
    return Market(buy_fee=Decimal(1), sell_fee=Decimal(1))


def amended(trader: ApiTrader, order: dict[str, Any], **terms: Any) -> dict[str, Any]:
    """Amend an order, and return it."""
    response = trader.amend(order["_id"], terms)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = exact_json(response)["data"]
    assert [found[name] for name in UNCHANGED] == [order[name] for name in UNCHANGED]
    return found


def kinds() -> list[str]:
    return [kind for _, kind, _ in events() if kind.startswith(("order.", "trade."))]


def test_another_price_and_total_reserve_what_the_whole_costs(market: Market):
    order = market.buy(price=100, tokens=10)
    assert market.buyer.held("NGN", "reserved") == 1010
    found = amended(market.buyer, order, price=101, tokens=12)
    assert (found["price"], found["meta"]["tokens"], found["amount"]) == (101, 12, 1212)
    assert market.buyer.held("NGN", "reserved") == Decimal("1224.12")
    assert market.buyer.held("NGN") == 100_000 - Decimal("1224.12")
    amended(market.buyer, order, tokens=1)
    assert market.buyer.held("NGN", "reserved") == Decimal("102.01")
    assert kinds() == ["order.created", "order.updated", "order.updated"]
    assert events()[-1][2]["order"]["meta"]["tokens"] == 1
    assert_books_hold()


def test_the_total_includes_what_is_filled(market: Market):
    order = market.buy(price=100, tokens=10)
    market.sell(price=100, tokens=4)
    found = amended(market.buyer, order, tokens=5, expected_filled=4)
    assert (found["meta"]["filled"], found["meta"]["tokens"], found["status"]) == (4, 5, "Active")
    # 404 are paid, 101 wait for the fifth unit.
    assert market.buyer.held("NGN", "reserved") == 101
    assert market.buyer.held("NGN") == 100_000 - 505
    found = amended(market.buyer, order, price=110)
    # The average of what is filled stays.
    assert (found["meta"]["average_price"], found["amount"]) == (100, 550)
    assert market.buyer.held("NGN", "reserved") == Decimal("111.1")
    assert_books_hold()


def test_only_a_smaller_total_keeps_its_place(market: Market):
    first, second = (market.sell(price=100, tokens=2) for _ in range(2))
    amended(market.seller, first, tokens=1)
    amended(market.seller, first, tokens=1)
    market.buy(price=100, tokens=1)
    assert market.seller.fetch(first["_id"])["status"] == "Fulfilled"
    third = market.sell(price=100, tokens=1)
    amended(market.seller, second, tokens=3)
    market.buy(price=100, tokens=1)
    assert market.seller.fetch(third["_id"])["status"] == "Fulfilled"
    assert market.seller.fetch(second["_id"])["meta"]["filled"] == 0
    fourth = market.sell(price=100, tokens=1)
    amended(market.seller, second, price=101)
    amended(market.seller, second, price=100)
    market.buy(price=100, tokens=1)
    assert market.seller.fetch(fourth["_id"])["status"] == "Fulfilled"
    assert_books_hold()


def test_a_new_price_matches_at_once(market: Market):
    market.sell(price=102, tokens=3)
    order = market.buy(price=100, tokens=5)
    found = amended(market.buyer, order, price=103)
    assert (found["meta"]["filled"], found["status"]) == (3, "Active")
    assert found["meta"]["filled_value"] == 306
    # The money that waited pays; of the whole 5 at 102 and 103, 306 and 3.06 are paid.
    assert market.buyer.held("NGN", "reserved") == Decimal("208.06")
    assert market.buyer.held("NGN") == 100_000 - Decimal("517.12")
    market.sell(price=104, tokens=2)
    found = amended(market.buyer, order, price=104)
    assert (found["status"], found["meta"]["fee"]) == ("Fulfilled", Decimal("5.14"))
    assert market.buyer.held("NGN", "reserved") == 0
    assert market.buyer.held(market.token) == 5
    filled = ["order.fulfilled", "order.fulfilled", "order.updated", "trade.created"]
    assert sorted(kinds()[-5:]) == [*filled, "trade.created"]
    assert_books_hold()


@pytest.mark.django_db
def test_money_that_waits_for_an_order_pays_for_its_new_terms():
    market = Market(buy_fee=Decimal(1))
    order = market.buy(price=500, tokens=190)
    left = market.buyer.held("NGN")
    assert left == 100_000 - 95_950
    market.sell(price=501, tokens=100)
    found = amended(market.buyer, order, price=501)
    assert found["meta"]["filled"] == 100
    assert market.buyer.held("NGN") + market.buyer.held("NGN", "reserved") == 100_000 - 50_601
    refused = market.buyer.amend(order["_id"], {"price": 600})
    assert_error(refused, 400, "insufficient_balance")
    assert_books_hold()


def test_a_remainder_worth_nothing_ends(market: Market):
    order = market.buy(price=1, tokens=10)
    market.sell(price=1, tokens=4)
    found = amended(market.buyer, order, tokens=4.001)
    assert found["status"] == "Cancelled"
    assert events()[-1][2]["reason"] == "worth_nothing"
    assert market.buyer.held("NGN", "reserved") == 0
    assert_books_hold()


def test_an_order_that_only_rests_is_not_amended_to_take(market: Market):
    market.sell(price=102, tokens=1)
    order = market.buy(price=100, tokens=1, post_only=True)
    with assert_nothing_changes():
        assert_error(market.buyer.amend(order["_id"], {"price": 102}), 409, "would_take")
    assert amended(market.buyer, order, price=101)["price"] == 101


def test_meeting_an_order_of_its_own_owner_ends_the_rest(market: Market):
    order = market.buy(price=100, tokens=2)
    market.sell(price=101, tokens=1)
    market.buy(price=102, tokens=1)
    own = market.buyer.place(market.token, type="Sell", price=103, tokens=1)
    found = amended(market.buyer, order, price=103)
    assert (found["status"], events()[-1][2]["reason"]) == ("Cancelled", "self_trade")
    assert market.buyer.fetch(own["_id"])["status"] == "Active"
    assert_books_hold()


def refused_amendments(market: Market) -> list[tuple[dict[str, Any], int, str, str]]:
    return [
        ({}, 400, "invalid_request", "price or tokens is required"),
        ({"expected_filled": 4}, 400, "invalid_request", "price or tokens is required"),
        ({"price": 0}, 400, "invalid_request", "price must be above 0"),
        ({"price": "100"}, 400, "invalid_request", "price must be a number"),
        ({"price": 100.001}, 400, "invalid_request", "price must not have more than 2 decimals"),
        ({"tokens": 5.000000001}, 400, "invalid_request", "tokens must not have"),
        ({"tokens": -1}, 400, "invalid_request", "tokens must not be negative"),
        ({"tokens": 4}, 400, "below_filled", "tokens must be above what is filled: 4"),
        ({"tokens": 3}, 400, "below_filled", "tokens must be above what is filled: 4"),
        ({"price": 99, "expected_filled": 3.5}, 409, "filled_changed", "expected_filled says: 4"),
        ({"price": 99, "expected_filled": 4.5}, 409, "filled_changed", "expected_filled says: 4"),
        ({"price": 99, "expected_filled": -1}, 400, "invalid_request", "expected_filled must"),
        ({"price": 121}, 400, "price_out_of_band", "at most 120"),
        ({"price": 1, "tokens": 5}, 400, "below_min_trade", "at least 50"),
        ({"price": 110, "tokens": 1_000}, 400, "insufficient_balance", "Available"),
        ({"tokens": 10**15, "price": 120}, 400, "amount_too_large", "price times tokens"),
    ]


@pytest.mark.django_db
def test_a_refused_amendment_leaves_the_order_as_it_was():
    market = Market(max_buy=Decimal(120), min_trade_buy=Decimal(50))
    order = market.buy(price=100, tokens=10)
    market.sell(price=100, tokens=4)
    for terms, status, code, message in refused_amendments(market):
        with assert_nothing_changes():
            refused = market.buyer.amend(order["_id"], terms)
        assert_error(refused, status, code)
        assert message in refused.json()["message"], (terms, refused.json())
    # Another organisation's.
    for order_id in (order["_id"], "none"):
        with assert_nothing_changes():
            refused = market.seller.amend(order_id, {"price": 101})
        assert_error(refused, 404, "order_not_found")
    reader = make_caller(scopes=["orders:read"], organisation=market.buyer.organisation)
    refused = reader.patch(f"{ORDERS}/{order['_id']}", {"price": 101})
    assert refused.status_code == 403
    market.buyer.cancel(order["_id"])
    refused = market.buyer.amend(order["_id"], {"price": 101})
    assert_error(refused, 409, "state_conflict")
    assert_books_hold()


def test_an_order_from_before_other_fees_or_limits_only_shrinks(market: Market):
    def change(**terms: Any) -> None:
        Token.objects.filter(id=market.token.id).update(**terms)

    first = market.buy(price=100, tokens=10)
    change(max_trade_buy=Decimal(2_000))
    for terms in ({"price": 99}, {"tokens": 11}, {"price": 99, "tokens": 5}):
        assert_error(market.buyer.amend(first["_id"], terms), 409, "terms_changed")
    assert amended(market.buyer, first, tokens=9, price=100)["meta"]["tokens"] == 9
    second = market.buy(price=100, tokens=10)
    # What orders do not depend on.
    change(name="Another name", valuation=Decimal(1))
    amended(market.buyer, second, tokens=11)
    change(buy_fee=Decimal(2))
    change(buy_fee=Decimal(1))
    assert_error(market.buyer.amend(second["_id"], {"tokens": 12}), 409, "terms_changed")
    # What shrinks keeps the fee that it was placed with, and meets the limits of now.
    change(buy_fee=Decimal(5), max_trade_buy=Decimal(500))
    assert_error(market.buyer.amend(second["_id"], {"tokens": 6}), 400, "above_max_trade")
    amended(market.buyer, second, tokens=5)
    assert market.buyer.held("NGN", "reserved") == 909 + 505
    assert_books_hold()


@pytest.mark.parametrize(
    "limit",
    [f"{bound}_{side}" for bound in ("min", "max", "min_trade", "max_trade") for side in SIDES]
    + [f"{side}_fee" for side in SIDES],
)
def test_each_fee_and_limit_counts(market: Market, limit: str):
    order = market.buy(price=100, tokens=10)
    Token.objects.filter(id=market.token.id).update(**{limit: Decimal("0.01")})
    terms = {"tokens": 11, "price": 100}
    Token.objects.filter(id=market.token.id).update(**{limit: Decimal(0)})
    assert_error(market.buyer.amend(order["_id"], terms), 409, "terms_changed")


def test_a_fee_from_before_this_version_counts_too(market: Market):
    order = market.buy(price=100, tokens=10)
    Token.objects.filter(id=market.token.id).update(buy_fee=Decimal(2))
    Token.objects.filter(id=market.token.id).update(limits_changed_at=None)
    assert_error(market.buyer.amend(order["_id"], {"price": 99}), 409, "terms_changed")


def test_a_halted_token_and_an_order_past_its_time_are_not_amended(market: Market):
    expires = {
        "time_in_force": "GTD",
        "expires_at": (timezone.now() + timedelta(hours=1)).isoformat(),
    }
    order, due = market.buy(price=100, tokens=1), market.buy(price=100, tokens=1, **expires)
    move_expiry(due["_id"], timezone.now() - timedelta(seconds=1))
    assert_error(market.buyer.amend(due["_id"], {"tokens": 0.5}), 400, "already_expired")
    halt(market.token, make_staff("end_token"))
    with assert_nothing_changes():
        for terms in ({"price": 99}, {"tokens": 0.5}):
            assert_error(market.buyer.amend(order["_id"], terms), 409, "token_halted")


def test_a_repeated_amendment_is_made_once(market: Market):
    order = market.buy(price=100, tokens=10)
    key = {"Idempotency_Key": "amend-1"}
    first = market.buyer.amend(order["_id"], {"tokens": 12}, **key)
    market.sell(price=100, tokens=12)
    again = market.buyer.amend(order["_id"], {"tokens": 12}, **key)
    assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
    other = market.buyer.amend(order["_id"], {"tokens": 13}, **key)
    assert_error(other, 422, "idempotency_key_reused")
    # A refusal stores nothing: its key is free again.
    order = market.buy(price=100, tokens=1)
    assert_error(
        market.buyer.amend(order["_id"], {"tokens": 10_000}, Idempotency_Key="amend-2"),
        400,
        "insufficient_balance",
    )
    again = market.buyer.amend(order["_id"], {"tokens": 2}, Idempotency_Key="amend-2")
    assert again.status_code == 200
    assert kinds().count("order.updated") == 2
    assert_books_hold()


def test_who_amended_an_order_is_on_record(market: Market):
    order = market.buy(price=100, tokens=10)
    amended(market.buyer, order, price=101)
    amended(market.buyer, order, tokens=5)
    reserved = Entry.objects.filter(transfer__subject_id=order["_id"], account__kind="reserved")
    columns = ("transfer__kind", "amount", "transfer__actor")
    actor = f"api_key:{market.buyer.caller.key.id}"
    assert list(reserved.order_by("id").values_list(*columns)) == [
        ("order_reserve", 1010, actor),
        ("order_reserve", Decimal("10.1"), actor),
        ("order_release", Decimal("-510.05"), actor),
    ]
    changes = Change.objects.filter(table="orders_order", record_id=order["_id"]).order_by("id")
    assert list(changes.values_list("actor", flat=True)) == [actor, actor]
    prices = changes.values_list("before__price", "after__price")
    assert next(iter(prices)) == (100, 101)
