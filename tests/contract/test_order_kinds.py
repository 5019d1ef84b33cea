"""Kinds of orders over HTTP: market, time in force, post-only; previews and cancelling several."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from exchange.core.ids import uuid7
from orders.book.tasks import expire_orders
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.database import session
from tests.factories.api_clients import assert_error
from tests.factories.market import ORDERS, ApiTrader, Market, body_of, events
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import exact_json
from tests.orders.book.sides import move_expiry

PREVIEW = f"{ORDERS}/preview"
IOC, FOK, GTD = ({"time_in_force": force} for force in ("IOC", "FOK", "GTD"))


@pytest.fixture
def market(db: None) -> Market:
    return Market(buy_fee=Decimal(1), sell_fee=Decimal(1))


def market_order(**changes: Any) -> dict[str, Any]:
    return {"order_type": "market", "price": None, **changes}


def in_an_hour() -> str:
    return (timezone.now() + timedelta(hours=1)).isoformat()


def reasons() -> list[str | None]:
    return [data["reason"] for _, kind, data in events() if kind == "order.cancelled"]


def test_a_market_order_takes_the_best_prices_within_its_collar(market: Market):
    for price in (100, 103, 105.01):
        market.sell(price=price, tokens=2)
    bought = market.buy(**market_order(tokens=5))
    # 5 % above the best price: the ask at 105.01 is beyond.
    assert (bought["price"], bought["status"]) == (105, "Cancelled")
    assert bought["amount"] == 525
    meta = bought["meta"]
    assert (meta["filled"], meta["filled_value"], meta["fee"]) == (4, 406, Decimal("4.06"))
    assert (meta["order_type"], meta["time_in_force"]) == ("market", "IOC")
    assert reasons() == ["unfilled"]
    assert market.buyer.held("NGN") == 100_000 - Decimal("410.06")
    assert market.buyer.held("NGN", "reserved") == 0
    assert_books_hold()


def test_a_market_sell_goes_down_to_its_collar(market: Market):
    market.buy(price=100, tokens=1)
    market.buy(price=95, tokens=1)
    market.buy(price=94.99, tokens=1)
    sold = market.sell(**market_order(tokens=3))
    assert (sold["price"], sold["meta"]["filled"], sold["status"]) == (95, 2, "Cancelled")
    assert_books_hold()


@pytest.mark.django_db
def test_a_market_order_stays_within_the_band_and_the_setting(settings):
    market = Market(max_buy=Decimal(102), min_sell=Decimal(98))
    market.sell(price=101, tokens=1)
    market.sell(price=103, tokens=1)
    bought = market.buy(**market_order(tokens=2))
    assert (bought["price"], bought["meta"]["filled"]) == (102, 1)
    # What is left is beyond the band of a buy.
    refused = market.buyer.send(market.token, **market_order(tokens=1))
    assert_error(refused, 409, "no_liquidity")
    market.buy(price=99, tokens=1)
    assert market.sell(**market_order(tokens=1))["price"] == 98
    market.buy(price=97, tokens=1)
    refused = market.seller.send(market.token, **market_order(type="Sell", tokens=1))
    assert_error(refused, 409, "no_liquidity")
    settings.MARKET_COLLAR = 0
    market.sell(price=101.55, tokens=1)
    assert market.buy(**market_order(tokens=1))["price"] == Decimal("101.55")
    assert_books_hold()


def test_a_market_buy_spends_a_sum_with_its_fee(market: Market):
    market.sell(price=100, tokens=2)
    market.sell(price=101, tokens=50)
    bought = market.buy(**market_order(tokens=None, amount=505))
    # 202 for the first two; the other 303 buy 303 / 102.01 units at 101 with 1 %.
    units = 2 + Decimal("2.97029702")
    meta = bought["meta"]
    assert (bought["status"], meta["tokens"], meta["filled"]) == ("Fulfilled", units, units)
    assert (bought["price"], bought["amount"]) == (105, Decimal("521.88"))
    assert (meta["requested_amount"], meta["filled_value"] + meta["fee"]) == (505, 505)
    assert market.buyer.held("NGN") == 100_000 - 505
    assert market.buyer.held(market.token) == units
    assert_books_hold()


def test_what_the_book_cannot_use_of_a_sum_stays_with_its_owner(market: Market):
    market.sell(price=100, tokens=2)
    bought = market.buy(**market_order(tokens=None, amount=1000))
    assert (bought["status"], bought["meta"]["tokens"]) == ("Fulfilled", 2)
    assert market.buyer.held("NGN") == 100_000 - 202
    assert market.buyer.held("NGN", "reserved") == 0


def test_an_order_that_does_not_rest_cancels_what_it_cannot_fill(market: Market):
    market.sell(tokens=4)
    bought = market.buy(**IOC)
    assert (bought["status"], bought["meta"]["filled"]) == ("Cancelled", 4)
    assert reasons() == ["unfilled"]
    assert market.buyer.held("NGN", "reserved") == 0


def test_all_or_nothing(market: Market):
    market.sell(tokens=9)
    with assert_nothing_changes():
        refused = market.buyer.send(market.token, **FOK)
    assert_error(refused, 409, "not_fillable", "The order cannot be filled completely at once")
    market.sell(tokens=1, user_id=str(market.seller.member.id))
    assert market.buy(**FOK)["status"] == "Fulfilled"


def test_orders_of_its_own_owner_end_what_all_or_nothing_counts(market: Market):
    market.sell(tokens=5)
    market.seller.fund("10000").place(market.token, price=99, tokens=1)
    own = market.seller.send(market.token, type="Buy", **FOK)
    assert_error(own, 409, "not_fillable", "The order cannot be filled completely at once")


def test_a_post_only_order_rests_or_is_refused(market: Market):
    market.sell(price=101, tokens=1)
    with assert_nothing_changes():
        refused = market.buyer.send(market.token, price=101, post_only=True)
    assert_error(refused, 409, "would_take", "The order would be filled at once")
    rests = market.buy(price=100, post_only=True)
    assert (rests["status"], rests["meta"]["post_only"]) == ("Active", True)


def test_an_order_ends_at_its_time_and_never_trades_after_it(market: Market):
    lasting = market.sell(tokens=3, **GTD, expires_at=in_an_hour())
    assert lasting["meta"]["time_in_force"] == "GTD"
    assert lasting["meta"]["expires_at"].endswith("Z")
    swept = market.sell(tokens=4, **GTD, expires_at=in_an_hour())
    kept = market.sell(price=101, tokens=5, **GTD, expires_at=in_an_hour())
    assert expire_orders() == 0
    past = timezone.now() - timedelta(seconds=1)
    move_expiry(lasting["_id"], past)
    bought = market.buy(price=100, tokens=3)
    # It met the expired order, which was the first, and took the next one.
    assert (bought["status"], reasons()) == ("Fulfilled", ["expired"])
    assert market.seller.fetch(lasting["_id"])["status"] == "Cancelled"
    move_expiry(swept["_id"], past)
    assert expire_orders() == 1
    assert expire_orders() == 0
    assert market.seller.fetch(swept["_id"])["meta"]["filled"] == 3
    assert market.seller.fetch(kept["_id"])["status"] == "Active"
    assert market.seller.held(market.token, "reserved") == 5
    assert_books_hold()


BAD: list[tuple[dict[str, Any], str]] = [
    ({"order_type": "market"}, "price must be left out for a market order"),
    (market_order(tokens=None), "tokens or amount is required"),
    (market_order(type="Sell", tokens=None), "tokens is required"),
    (market_order(amount=5), "amount and tokens exclude each other"),
    (market_order(type="Sell", tokens=None, amount=5), "amount is only for a market Buy"),
    ({"amount": 5}, "amount is only for a market Buy"),
    (market_order(tokens=None, amount=1.001), "amount must not have more than 2 decimals"),
    (market_order(**FOK), "time_in_force must be IOC for a market order"),
    (market_order(post_only=True), "post_only must be left out for an order that does not rest"),
    ({**IOC, "post_only": True}, "post_only must be left out for an order that does not rest"),
    ({**FOK, "post_only": True}, "post_only must be left out for an order that does not rest"),
    (GTD, "expires_at is required for GTD"),
    ({"expires_at": "2099-01-01T00:00:00Z"}, "expires_at is only for GTD"),
    (
        {**GTD, "expires_at": "2025-01-01T00:00:00Z"},
        "expires_at must be later than now, by a year at most",
    ),
    (
        {**GTD, "expires_at": "2099-01-01T00:00:00Z"},
        "expires_at must be later than now, by a year at most",
    ),
    (
        {**GTD, "expires_at": "tomorrow"},
        "expires_at must be an ISO 8601 date-time with its offset",
    ),
    ({"time_in_force": "DAY"}, "time_in_force must be one of [GTC, GTD, IOC, FOK]"),
    ({"order_type": "stop"}, "order_type must be one of [limit, market]"),
    ({"post_only": "yes"}, "post_only must be true or false"),
]


def test_kinds_that_exclude_each_other_are_refused(market: Market):
    market.sell(tokens=1)
    for changes, message in BAD:
        with assert_nothing_changes():
            refused = market.buyer.send(market.token, **changes)
        assert_error(refused, 400, "invalid_request", message)


def test_a_market_order_needs_an_order_of_another_owner(market: Market):
    wanted = market_order(tokens=1)
    nothing = "No order of another owner is in the book at a price within the band"
    assert_error(market.buyer.send(market.token, **wanted), 409, "no_liquidity", nothing)
    market.seller.fund("1000")
    market.sell(price=100, tokens=1)
    assert_error(market.seller.send(market.token, **wanted), 409, "no_liquidity", nothing)


@pytest.mark.django_db
def test_a_raise_takes_no_post_only_order_and_fills_market_orders():
    market = Market(raise_amount=Decimal(50_000))
    refused = market.buyer.send(market.token, post_only=True)
    message = "In the primary raise every order is filled at once: none is post-only"
    assert_error(refused, 400, "post_only_in_raise", message)
    bought = market.buy(**market_order(tokens=None, amount=250))
    assert (bought["status"], bought["meta"]["filled"]) == ("Fulfilled", Decimal("2.5"))
    refused = market.buyer.send(market.token, tokens=498, **FOK)
    assert_error(refused, 409, "not_fillable", "The order cannot be filled completely at once")
    assert_books_hold()


def preview(trader: ApiTrader, market: Market, **changes: Any) -> dict[str, Any]:
    with assert_nothing_changes():
        response = trader.caller.post(PREVIEW, body_of(market.token, **changes))
    assert response.status_code == 200, response.content
    found: dict[str, Any] = exact_json(response)["data"]
    return found


def test_a_preview_says_what_the_order_then_does(market: Market):
    market.sell(price=100, tokens=4)
    market.sell(price=101, tokens=4)
    found = preview(market.buyer, market, price=102, tokens=10)
    assert found == {
        "acceptable": True,
        "refusals": [],
        "price": 102,
        "reserve": Decimal("1030.2"),
        "filled": 8,
        "filled_value": 804,
        "fee": Decimal("8.04"),
        "average_price": Decimal("100.5"),
        "worst_price": 101,
        "rests": 2,
    }
    placed = market.buy(price=102, tokens=10)["meta"]
    assert {name: placed[name] for name in ("filled", "filled_value", "fee", "average_price")} == {
        name: found[name] for name in ("filled", "filled_value", "fee", "average_price")
    }


def test_a_preview_names_every_refusal(market: Market):
    found = preview(market.buyer, market, price=100.001, tokens=2000)
    assert not found["acceptable"]
    assert [each["code"] for each in found["refusals"]] == [
        "invalid_request",
        "insufficient_balance",
    ]
    assert (found["filled"], found["rests"], found["worst_price"]) == (0, 0, None)
    market.sell(tokens=3)
    [refusal] = preview(market.buyer, market, **FOK)["refusals"]
    assert refusal["code"] == "not_fillable"
    found = preview(market.buyer, market, post_only=True)
    assert ([r["code"] for r in found["refusals"]], found["rests"]) == (["would_take"], 0)
    for kind, unmet in (({"post_only": True}, "would_take"), (FOK, "not_fillable")):
        found = preview(market.buyer, market, tokens=2000, **kind)
        assert [r["code"] for r in found["refusals"]] == ["insufficient_balance", unmet]
    unknown = market.buyer.caller.post(PREVIEW, {**body_of(market.token), "token_id": str(uuid7())})
    assert_error(unknown, 404, "token_not_found", "Token not found")


def test_a_preview_names_ids_that_are_used(market: Market):
    ids = {"client_order_id": "mine-1", "client_reference": "ref-1"}
    market.buy(price=90, tokens=1, **ids)
    found = preview(market.buyer, market, price=90, tokens=1, **ids)
    assert ([refusal["code"] for refusal in found["refusals"]], found["rests"]) == (
        ["duplicate_client_order_id", "client_reference_taken"],
        0,
    )
    for name, value in ids.items():
        [refusal] = preview(market.buyer, market, price=90, tokens=1, **{name: value})["refusals"]
        refused = market.buyer.send(market.token, price=90, tokens=1, **{name: value})
        assert_error(refused, 409, refusal["code"], refusal["message"])
    # Those of another organisation are not.
    assert preview(market.seller, market, type="Sell", price=90, tokens=1, **ids)["filled"] == 1


def cancel(trader: ApiTrader, query: str, **headers: str) -> Any:
    return trader.caller.call("DELETE", f"{ORDERS}{query}", **headers)


def test_orders_are_cancelled_by_token_by_member_or_all(market: Market):
    other = Market()
    trader = market.buyer
    member = {"user_id": str(trader.member.id)}
    trader.place(market.token)
    mine = trader.place(market.token, **member)
    elsewhere = trader.place(other.token)
    theirs = market.sell(price=101)
    found = exact_json(cancel(trader, f"?user_id={trader.member.id}"))
    assert (found["message"], found["data"]) == (
        "Orders cancelled",
        {"cancelled": 1, "failed": [], "remaining": 0},
    )
    assert trader.fetch(mine["_id"])["status"] == "Cancelled"
    found = exact_json(cancel(trader, f"?token_id={market.token.id}"))["data"]
    assert found["cancelled"] == 1
    assert trader.fetch(elsewhere["_id"])["status"] == "Active"
    assert exact_json(cancel(trader, "?all=true"))["data"]["cancelled"] == 1
    assert trader.held("NGN", "reserved") == trader.held("NGN", "reserved", member=True) == 0
    assert market.seller.fetch(theirs["_id"])["status"] == "Active"
    assert exact_json(cancel(trader, "?all=true"))["data"]["cancelled"] == 0
    assert_books_hold()


@pytest.mark.django_db
def test_nothing_is_cancelled_without_a_choice():
    trader = ApiTrader()
    wrong = "all must be true, without another filter"
    for query, message in [
        ("", "Give token_id, user_id, or all=true"),
        ("?all=false", wrong),
        (f"?all=true&token_id={uuid7()}", wrong),
        ("?status=Active", "Unknown parameter: status (known are token_id, user_id, all)"),
        ("?all=true&all=true", "all must be given once"),
    ]:
        assert_error(cancel(trader, query), 400, "invalid_request", message)
    assert_error(cancel(trader, "?token_id=x"), 404, "token_not_found", "Token not found")
    assert_error(cancel(trader, "?user_id=x"), 404, "user_not_found", "User not found")


def test_a_repeated_cancellation_answers_as_the_first(market: Market):
    trader = market.buyer
    trader.place(market.token)
    key = {"Idempotency_Key": "stop-1"}
    first = cancel(trader, "?all=true", **key)
    trader.place(market.token)
    again = cancel(trader, "?all=true", **key)
    assert (again.json()["data"], again["Idempotent-Replayed"]) == (first.json()["data"], "true")
    assert trader.held("NGN", "reserved") == 1010
    other = cancel(trader, f"?user_id={trader.member.id}", **key)
    assert other.status_code == 422


def test_a_choice_is_limited_to_a_thousand(market: Market, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("orders.book.cancelling.MOST_AT_ONCE", 2)
    for _ in range(3):
        market.buyer.place(market.token, tokens=1)
    found = [exact_json(cancel(market.buyer, "?all=true"))["data"] for _ in range(2)]
    assert [(each["cancelled"], each["remaining"]) for each in found] == [(2, 1), (1, 0)]


def test_orders_of_a_token_that_is_locked_for_long_are_named_and_stay(transactional_db):
    market, other = Market(), Market()
    trader = market.buyer
    stays, goes = trader.place(market.token), trader.place(other.token)
    with session("owner") as blocker, connection.cursor() as cursor:
        blocker.execute(
            "SELECT FROM exchange_token WHERE id = %s FOR NO KEY UPDATE", [market.token.id]
        )
        cursor.execute("SET lock_timeout = '100ms'")
        found = exact_json(cancel(trader, "?all=true"))["data"]
        cursor.execute("RESET lock_timeout")
    failed = [{"_id": stays["_id"], "code": "try_again"}]
    assert found == {"cancelled": 1, "failed": failed, "remaining": 1}
    assert trader.fetch(stays["_id"])["status"] == "Active"
    assert trader.fetch(goes["_id"])["status"] == "Cancelled"
    assert exact_json(cancel(trader, "?all=true"))["data"]["cancelled"] == 1
