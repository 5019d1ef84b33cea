"""The fills of all orders of an organisation, by time."""

from decimal import Decimal
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, connection

from exchange.core.ids import uuid7
from orders.book.models import Fill
from tests.contract.test_fills import FIELDS, read_fills
from tests.environment.owner import as_owner, without_guards
from tests.factories.api_clients import ApiCaller, assert_error, make_caller
from tests.factories.market import ORDERS, Market
from tests.factories.tokens import give_units
from tests.factories.withdrawals import exact_json

pytestmark = pytest.mark.django_db

PATH = f"{ORDERS}/fills"


def read(caller: ApiCaller, **query: Any) -> list[dict[str, Any]]:
    response = caller.get(PATH, query)
    assert response.status_code == 200, response.content
    fills: list[dict[str, Any]] = exact_json(response)["data"]["fills"]
    return fills


def test_every_fill_of_every_order_is_listed_once_with_its_order_and_no_others():
    market = Market(buy_fee=Decimal("1.5"), sell_fee=Decimal("0.5"))
    first = market.sell(price=98, tokens=4)
    second = market.sell(price=99, tokens=2, client_order_id="desk-7")
    bought = market.buy(price=100, tokens=10)
    sold = market.sell(price=97, tokens=1)

    def expected(caller: ApiCaller, order: dict[str, Any]) -> list[dict[str, Any]]:
        named = {
            "order": order["_id"],
            "client_order_id": order.get("client_order_id"),
            "type": order["type"],
            "token": str(market.token.id),
        }
        return [{**fill, **named} for fill in read_fills(caller, order["_id"])]

    buyer, seller = market.buyer.caller, market.seller.caller
    fills = read(buyer)
    assert list(fills[0]) == [*FIELDS, "order", "client_order_id", "type", "token"]
    assert fills == expected(buyer, bought)
    assert [fill["liquidity"] for fill in fills] == ["maker", "taker", "taker"]
    of_seller = [expected(seller, order) for order in (sold, second, first)]
    assert read(seller) == [fill for fills in of_seller for fill in fills]
    assert read(make_caller()) == []


def test_an_organisation_on_both_sides_has_two_fills_and_the_issuer_of_a_raise_none():
    market = Market(raise_amount=Decimal(50_000))
    market.buy(tokens=3)
    assert [fill["liquidity"] for fill in read(market.buyer.caller)] == ["primary"]
    assert Fill.objects.count() == 1
    market = Market()
    sold = market.sell(tokens=5)["_id"]
    market.seller.fund(1_000, member=True)
    member = str(market.seller.member.id)
    bought = market.seller.place(market.token, tokens=1, user_id=member)["_id"]
    caller = market.seller.caller
    both = read(caller)
    assert [(fill["order"], fill["type"]) for fill in both] == [(sold, "Sell"), (bought, "Buy")]
    assert len({fill["trade_id"] for fill in both}) == 1
    assert [fill["order"] for fill in read(caller, user_id=member)] == [bought]
    one_by_one = []
    query: dict[str, Any] = {"use_cursor": "true", "limit": 1}
    while query.get("cursor", "") is not None:
        data = exact_json(caller.get(PATH, query))["data"]
        one_by_one += data["fills"]
        query["cursor"] = data["next_cursor"]
    assert one_by_one == both


def test_fills_are_filtered_by_token_member_and_time():
    market, other = Market(), Market()
    caller = market.buyer.caller
    for each in (market, other):
        each.sell(tokens=1)
        market.buyer.place(each.token, tokens=1)
    newest, oldest = read(caller)
    assert [newest["token"], oldest["token"]] == [str(other.token.id), str(market.token.id)]
    assert read(caller, sort="createdAt") == [oldest, newest]
    assert read(caller, token_id=str(other.token.id)) == [newest]
    assert read(caller, created_from=newest["createdAt"], limit=1) == [newest]
    assert oldest in read(caller, created_to=oldest["createdAt"])
    for query in (
        {"token_id": str(uuid7())},
        {"user_id": "x"},
        {"user_id": str(market.buyer.member.id)},
        {"created_to": "2020-01-01"},
    ):
        assert read(caller, **query) == [], query
    for query, message in (
        (
            {"created_from": "soon"},
            "created_from must be an ISO 8601 date, or a time with its offset",
        ),
        ({"sort": "price"}, "sort must be one of [createdAt], with - in front for descending"),
        ({"status": "Active"}, None),
    ):
        response = caller.get(PATH, query)
        assert response.status_code == 400, query
        if message:
            assert_error(response, 400, "invalid_request", message)


def test_it_is_none_of_the_orders_and_needs_the_scope_to_read_them():
    caller = make_caller(["orders:read", "orders:write"])
    assert caller.get(PATH).status_code == 200
    assert caller.post(PATH, {}).status_code == 405
    refused = make_caller(["wallets:read"]).get(PATH)
    assert_error(refused, 403, "insufficient_scope", "This needs the scope orders:read")


def test_they_cost_the_same_round_trips_for_one_as_for_many(django_assert_max_num_queries):
    market = Market()
    give_units(market.token, market.seller.wallet(), 10)
    for _ in range(5):
        market.sell(tokens=1)
    market.buy(tokens=5)
    with django_assert_max_num_queries(3):
        assert len(read(market.buyer.caller)) == 5


@pytest.mark.parametrize(
    "statement",
    ["UPDATE orders_fill SET id = id + 2", "DELETE FROM orders_fill", "TRUNCATE orders_fill"],
)
def test_fills_are_append_only(statement):
    market = Market()
    market.sell(tokens=1)
    market.buy(tokens=1)
    with pytest.raises(DatabaseError, match="append-only"), as_owner() as owner:
        owner.execute(statement)
    assert Fill.objects.count() == 2


def test_the_migration_writes_the_fills_of_earlier_trades():
    market = Market(raise_amount=Decimal(50_000))
    market.buy(tokens=3)
    market = Market()
    market.sell(tokens=2)
    market.buy(tokens=2)
    market.seller.fund(1_000, member=True)
    market.sell(tokens=1)
    market.seller.place(market.token, tokens=1, user_id=str(market.seller.member.id))
    written = list(Fill.objects.values())
    assert len(written) == 5
    migration = import_module("orders.migrations.0004_fills_of_earlier_trades")
    with without_guards() as owner:
        owner.execute("DELETE FROM orders_fill WHERE id <> %s", [written[0]["id"]])
        migration.write_fills(apps, SimpleNamespace(connection=connection))
    assert list(Fill.objects.values()) == written
