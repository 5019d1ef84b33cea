"""Queries of orders: visibility, and documents rendered on read."""

import json
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from exchange.core.ids import uuid7
from orders.book.errors import OrderNotFound
from orders.book.models import Order, Trade
from orders.book.payloads import ORDER, PUBLIC_ORDER
from orders.book.selectors import (
    embed_token,
    merge_sorted,
    orders_of,
    orders_on_token,
    read_book,
    read_order,
    read_orders,
)
from orders.trades.selectors import read_trades, trades_of
from tests.factories.market import Market

_LETTERS = st.text(alphabet='"\\:{}tokenab,', max_size=40)


@given(name=_LETTERS, email=_LETTERS)
def test_a_token_takes_the_place_of_its_id_whatever_a_customer_is_called(name, email):
    token_id = uuid7()
    order = {
        "_id": str(uuid7()),
        "user": None,
        "token": str(token_id),
        "customer": {"name": f'{name}"token":"{token_id}"', "email": email},
    }
    text = json.dumps(order, separators=(",", ":"))
    found = json.loads(embed_token(text, token_id, '{"_id":"x","token":"y"}'))
    assert found == {**order, "token": {"_id": "x", "token": "y"}}


def test_the_public_document_has_the_fields_of_the_owners_but_for_its_references():
    own = {"client_order_id", "client_reference", "metadata"}
    shared = [field.name for field in ORDER.fields if field.name not in own]
    assert [field.name for field in PUBLIC_ORDER.fields] == shared
    schema = ORDER.schema()
    properties = {name: found for name, found in schema["properties"].items() if name not in own}
    assert PUBLIC_ORDER.schema() == schema | {"properties": properties}
    nullable = {
        name
        for name, field in ORDER.schema()["properties"].items()
        if "null" in str(field.get("type"))
    }
    assert nullable == {"user", "api_customer_email"}


@pytest.fixture
def market(db: None) -> Market:
    return Market()


def test_the_owner_gets_the_stored_document_and_others_the_public_one(market: Market):
    market.buy(user_id=str(market.buyer.member.id))
    order = Order.objects.get()
    own = market.buyer.organisation.id
    other = market.seller.organisation.id
    assert read_order(own, order.id) == order.document
    assert read_orders(own, [order.id]) == [order.document]
    hidden = read_order(other, order.id)
    shown = order.document.replace(f'"{market.buyer.member.id}"', "null")
    assert hidden == shown.replace('"filled_value":0,"fee":0', '"filled_value":null,"fee":null')
    assert read_orders(other, [order.id]) == [hidden]


def test_documents_come_in_the_order_of_the_ids_and_again_for_an_id_given_again(market: Market):
    first, second, third = (market.buy(price=price)["_id"] for price in (90, 91, 92))
    wanted = [second, third, first, second]
    texts = read_orders(market.seller.organisation.id, wanted)
    assert [json.loads(text)["_id"] for text in texts] == wanted
    assert read_orders(market.seller.organisation.id, []) == []


def test_orders_of_others_closed_meanwhile_are_left_out(market: Market):
    gone, open_still = (market.buy(price=price)["_id"] for price in (90, 91))
    own, other = market.buyer.organisation.id, market.seller.organisation.id
    assert [part.count() for part in orders_on_token(other, market.token.id)] == [2, 0]
    market.buyer.cancel(gone)
    texts = read_orders(other, [gone, open_still])
    assert [json.loads(text)["_id"] for text in texts] == [open_still]
    assert len(read_orders(own, [gone, open_still])) == 2


def test_an_organisation_lists_all_its_own_orders_and_no_others(market: Market):
    bought = {market.buy()["_id"], market.buy(user_id=str(market.buyer.member.id))["_id"]}
    market.sell(price=120)
    found = orders_of(market.buyer.organisation.id).values_list("id", flat=True)
    assert {str(order_id) for order_id in found} == bought


def test_orders_on_a_token_are_of_that_token_and_of_others_only_the_active_ones(market: Market):
    elsewhere = Market()
    own, other = market.buyer, market.seller
    active = {other.place(market.token, type="Sell", price=120)["_id"]}
    other.cancel(market.sell(price=130)["_id"])
    over = {market.buy(price=90)["_id"]}
    for order_id in over:
        own.cancel(order_id)
    active.add(market.buy(price=91)["_id"])
    # Of the same organisation, on another token.
    own.place(elsewhere.token, price=92)
    own.cancel(own.place(elsewhere.token, price=93)["_id"])
    parts = orders_on_token(own.organisation.id, market.token.id)
    assert [{str(order.id) for order in part} for part in parts] == [active, over]


def test_sorted_parts_are_joined_without_a_check_for_duplicates(market: Market):
    orders = [UUID(market.buy(price=price)["_id"]) for price in (91, 90, 92)]
    part = Order.objects.filter(token=market.token).order_by("price", "-id")
    dear, cheap = part.filter(price__gt=90), part.filter(price=90)
    in_order = [orders[1], orders[0], orders[2]]
    assert [row[-1] for row in merge_sorted([dear, cheap])] == in_order
    assert [row[-1] for row in merge_sorted([part])] == in_order
    # To find doubles the database would read all rows for the first page.
    assert " UNION ALL " in str(merge_sorted([dear, cheap]).query)


def test_an_order_that_does_not_exist_is_not_found(market: Market):
    with pytest.raises(OrderNotFound):
        read_order(market.buyer.organisation.id, uuid7())


def test_a_book_adds_up_open_orders_only(market: Market):
    market.sell(price=101, tokens=5)
    market.sell(price=101, tokens=2, user_id=str(market.seller.member.id))
    market.buy(price=101, tokens=1.5)
    market.buyer.cancel(market.buy(price=99)["_id"])
    market.buy(price=98, tokens=1)
    Market().buy(price=97)
    assert read_book(market.token.id, 5) == {
        # Five orders and a cancellation.
        "seq": 6,
        "bids": [{"price": 98, "tokens": 1, "orders": 1}],
        "asks": [{"price": 101, "tokens": Decimal("5.5"), "orders": 2}],
    }
    assert read_book(uuid7(), 5) == {"seq": 0, "bids": [], "asks": []}


def test_a_book_has_the_best_prices_of_each_side_first_up_to_the_requested_depth(market: Market):
    for price in (97, 99, 98):
        market.buy(price=price)
    for price in (103, 101, 102):
        market.sell(price=price)
    book = read_book(market.token.id, 2)
    assert [level["price"] for level in book["bids"]] == [99, 98]
    assert [level["price"] for level in book["asks"]] == [101, 102]


def test_trades_of_a_token_are_public(market: Market):
    market.sell(tokens=1)
    market.buy(tokens=1)
    (trade,) = trades_of(market.token.id)
    assert (str(trade.taker), trade.tokens) == ("Buy", Decimal(1))
    assert not trades_of(uuid7()).exists()


def test_only_the_requested_trades_are_read_in_the_requested_order(market: Market):
    for _ in range(3):
        market.sell(tokens=1)
        market.buy(tokens=1)
    first, second, _ = Trade.objects.order_by("seq")
    rows: list[int] = []

    def count(execute: Any, sql: str, values: Any, many: bool, context: dict[str, Any]) -> Any:
        result = execute(sql, values, many, context)
        rows.append(context["cursor"].rowcount)
        return result

    with connection.execute_wrapper(count):
        texts = read_trades(uuid7(), [second.id, first.id])
    others = ',"buy_order":null,"sell_order":null}'
    assert texts == [trade.document[:-1] + others for trade in (second, first)]
    assert rows == [2]
