"""What became of an order: its totals, its fills, and whose order a trade names."""

import random
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Sum

from exchange.core.ids import uuid7
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.market import ORDERS, ApiTrader, Market, order_meta
from tests.factories.tokens import give_units
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import exact_json
from wallets.ledger.models import Entry

pytestmark = pytest.mark.django_db

FIELDS = ["trade_id", "price", "tokens", "value", "fee", "liquidity", "createdAt"]


def read_fills(caller: ApiCaller, order_id: str, **query: Any) -> list[dict[str, Any]]:
    response = caller.get(f"{ORDERS}/{order_id}/fills", query)
    assert response.status_code == 200, response.content
    fills: list[dict[str, Any]] = exact_json(response)["data"]["fills"]
    return fills


def paid_by_ledger(trader: ApiTrader, trade_ids: list[str]) -> Decimal:
    """Return what the ledger moved into the trader's money accounts for these trades."""
    legs = Entry.objects.filter(
        account__owner_id=trader.organisation.id,
        asset_id="NGN",
        transfer__reference__in=[f"trade:{trade_id}" for trade_id in trade_ids],
    )
    return legs.aggregate(total=Sum("amount"))["total"] or Decimal(0)


def test_fills_are_exactly_these_fields_each_from_its_own_side():
    market = Market(buy_fee=Decimal("1.5"), sell_fee=Decimal("0.5"))
    sold = market.sell(price=98, tokens=4)
    bought = market.buy(price=100, tokens=10)
    [buy] = read_fills(market.buyer.caller, bought["_id"])
    [sell] = read_fills(market.seller.caller, sold["_id"])
    assert list(buy) == list(sell) == FIELDS
    assert (buy["price"], buy["tokens"], buy["value"], buy["fee"]) == (98, 4, 392, Decimal("5.88"))
    assert (sell["value"], sell["fee"]) == (392, Decimal("1.96"))
    assert (buy["liquidity"], sell["liquidity"]) == ("taker", "maker")
    assert (buy["trade_id"], buy["createdAt"]) == (sell["trade_id"], sell["createdAt"])
    assert bought["meta"] == order_meta(10, 4, 392, fee=Decimal("5.88"))


def test_a_purchase_from_the_issuer_is_a_primary_fill():
    market = Market(raise_amount=Decimal(50_000))
    [fill] = read_fills(market.buyer.caller, market.buy(tokens=3)["_id"])
    assert (fill["liquidity"], fill["value"], fill["fee"]) == ("primary", 300, 0)


def test_fills_add_up_to_the_order_and_to_the_ledger():
    """Whatever the rounding of single fills: for each order, and on both sides."""
    draw = random.Random(18)
    market = Market(buy_fee=Decimal("0.37"), sell_fee=Decimal("0.73"))
    orders: list[tuple[ApiTrader, dict[str, Any]]] = []
    for _ in range(12):
        price, tokens = draw.randint(9_000, 11_000) / 100, draw.randint(1, 60_000) / 10_000
        if draw.random() < 0.5:
            orders.append((market.seller, market.sell(price=price, tokens=tokens)))
        else:
            orders.append((market.buyer, market.buy(price=price, tokens=tokens)))
    filled = 0
    for trader, placed in orders:
        order = trader.fetch(placed["_id"])
        fills = read_fills(trader.caller, placed["_id"])
        meta = order["meta"]
        assert sum(fill["tokens"] for fill in fills) == meta["filled"]
        assert sum(fill["value"] for fill in fills) == meta["filled_value"]
        assert sum(fill["fee"] for fill in fills) == meta["fee"]
        sign = -1 if order["type"] == "Buy" else 1
        received = paid_by_ledger(trader, [fill["trade_id"] for fill in fills])
        assert received == sign * meta["filled_value"] - meta["fee"]
        if fills:
            exact = sum(fill["price"] * fill["tokens"] for fill in fills)
            assert meta["average_price"] == round(Decimal(exact) / meta["filled"], 8)
        else:
            assert meta["average_price"] is None
        filled += len(fills)
    assert filled >= 10
    assert_books_hold()


def test_fills_are_listed_newest_first_and_sorted_filtered_and_paged():
    market = Market()
    for price, tokens in ((98, 3), (99, 1), (97, 2)):
        market.sell(price=price, tokens=tokens)
    bought = market.buy(price=100, tokens=10)["_id"]
    caller = market.buyer.caller

    def prices(**query: Any) -> list[int]:
        return [fill["price"] for fill in read_fills(caller, bought, **query)]

    assert prices() == [99, 98, 97]
    assert prices(sort="tokens") == [99, 97, 98]
    assert prices(sort="createdAt", limit=2) == [97, 98]
    assert prices(limit=2, page=2) == [97]
    assert prices(created_to="2020-01-01") == []
    response = caller.get(f"{ORDERS}/{bought}/fills", {"sort": "value"})
    assert_error(
        response,
        400,
        "invalid_request",
        "sort must be one of [createdAt, price, tokens], with - in front for descending",
    )


def test_the_fills_of_others_are_not_found():
    market = Market()
    sold = market.sell(tokens=10)
    market.buy(tokens=4)
    assert market.buyer.fetch(sold["_id"])["status"] == "Active"
    for order_id in (sold["_id"], str(uuid7()), "x"):
        response = market.buyer.caller.get(f"{ORDERS}/{order_id}/fills")
        assert_error(response, 404, "order_not_found", "Order not found")


def test_trades_name_the_orders_of_the_caller_and_no_others():
    market = Market()
    sold = market.sell(tokens=5)["_id"]
    bought = market.buy(tokens=2)["_id"]
    # The seller's member buys from the seller: both sides are the caller's.
    market.seller.fund(1_000, member=True)
    own = market.seller.place(market.token, tokens=1, user_id=str(market.seller.member.id))["_id"]

    def named(caller: ApiCaller) -> list[tuple[str | None, str | None]]:
        found = exact_json(caller.get(market.path("/trades")))["data"]["trades"]
        return [(trade["buy_order"], trade["sell_order"]) for trade in found]

    assert named(market.seller.caller) == [(own, sold), (None, sold)]
    assert named(market.buyer.caller) == [(None, None), (bought, None)]
    assert named(make_caller()) == [(None, None), (None, None)]


def test_fills_cost_the_same_round_trips_for_one_as_for_many(django_assert_max_num_queries):
    market = Market()
    give_units(market.token, market.seller.wallet(), 10)
    for _ in range(5):
        market.sell(tokens=1)
    bought = market.buy(tokens=5)["_id"]
    with django_assert_max_num_queries(3):
        assert len(read_fills(market.buyer.caller, bought)) == 5
