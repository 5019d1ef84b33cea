"""Lists of orders: envelope and meta, filters and order, what strangers see, and the cost."""

import json
import math
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from exchange.core.timestamps import wire_time
from exchange.tokens.models import DealAccess, Token, TokenAccess
from exchange.tokens.services.tokens import grant_access
from orders.book.models import Order
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.market import NO_CUSTOMER, ORDER_FIELDS, ORDERS, ApiTrader, Market
from tests.factories.tokens import give_units, make_token
from tests.factories.withdrawals import exact_json, round_trips

pytestmark = pytest.mark.django_db

META = [
    "page",
    "limit",
    "sort",
    "totalDocs",
    "totalPages",
    "hasPrevPage",
    "hasNextPage",
    "offset",
    "prevPage",
    "nextPage",
]
CUSTOMER = {"name": 'Quote " and "token":"x"', "email": "quote@example.com"}


@pytest.fixture
def market() -> Market:
    return Market()


def ids(response: Any) -> list[str]:
    assert response.status_code == 200, response.content
    return [order["_id"] for order in response.json()["data"]["orders"]]


def test_a_list_of_a_tokens_orders_has_exactly_this_text(market: Market):
    made = market.sell(tokens=2.5)
    token = Token.objects.get().document
    placed = Order.objects.get().document
    record = placed.replace(f'"token":"{market.token.id}"', f'"token":{token}')
    assert record != placed
    response = market.seller.caller.get(market.path(), {"type": "sell", "status": "Active"})
    assert response.status_code == 200
    assert response.content.decode() == (
        '{"status":"success","message":"Orders retrieved","data":{"page":1,"pages":1,"count":1,'
        f'"total":1,"orders":[{record}]}},"meta":{{"page":1,"limit":20,"sort":"-createdAt",'
        '"totalDocs":1,"totalPages":1,"hasPrevPage":false,"hasNextPage":false,"offset":0,'
        '"prevPage":null,"nextPage":null}}'
    )
    listed = exact_json(response)["data"]["orders"][0]
    assert list(listed) == ORDER_FIELDS
    assert listed["token"] == json.loads(token, parse_float=Decimal, parse_int=Decimal)
    assert {**listed, "token": made["token"]} == made


def test_the_organisations_list_has_the_orders_as_they_were_answered(market: Market):
    made = [
        market.buy(),
        market.buy(user_id=str(market.buyer.member.id)),
        market.buy(customer=CUSTOMER),
    ]
    body = exact_json(market.buyer.caller.get(ORDERS))
    assert list(body) == ["status", "message", "data", "meta"]
    assert list(body["data"]) == ["page", "pages", "count", "total", "orders"]
    assert body["data"]["orders"] == made[::-1]
    assert list(body["meta"]) == META


def test_without_orders_lists_are_empty(market: Market):
    for path in (ORDERS, market.path()):
        body = market.buyer.caller.get(path).json()
        assert body["data"] == {"page": 1, "pages": 0, "count": 0, "total": 0, "orders": []}
        assert body["meta"] == {
            "page": 1,
            "limit": 20,
            "sort": "-createdAt",
            "totalDocs": 0,
            "totalPages": 0,
            "hasPrevPage": False,
            "hasNextPage": False,
            "offset": 0,
            "prevPage": None,
            "nextPage": None,
        }


@pytest.mark.parametrize(
    ("page", "limit", "expected"),
    [
        (1, 2, (False, True, 0, None, 2)),
        (2, 2, (True, True, 2, 1, 3)),
        (3, 2, (True, False, 4, 2, None)),
        (4, 2, (True, False, 6, 3, None)),
        (1, 5, (False, False, 0, None, None)),
        (1, 500, (False, False, 0, None, None)),
        (10**30, 2, (True, False, 2 * (10**30 - 1), 10**30 - 1, None)),
    ],
)
@pytest.mark.one_in(3)
def test_meta_tells_where_the_page_is(market: Market, page, limit, expected):
    for _ in range(5):
        market.buy(tokens=1)
    for path in (ORDERS, market.path()):
        body = market.buyer.caller.get(path, {"page": page, "limit": limit, "sort": "price"}).json()
        shown = min(limit, 200)
        count = max(0, min(shown, 5 - (page - 1) * shown))
        assert body["data"]["count"] == len(body["data"]["orders"]) == count
        meta = body["meta"]
        assert (meta["page"], meta["limit"], meta["sort"]) == (page, shown, "price")
        assert meta["totalDocs"] == body["data"]["total"] == 5
        assert meta["totalPages"] == body["data"]["pages"] == math.ceil(5 / shown)
        assert tuple(meta[name] for name in META[5:]) == expected


def test_a_stranger_sees_an_active_order_but_not_whose_it_is(market: Market):
    owners: list[dict[str, Any]] = [
        {},
        {"user_id": str(market.buyer.member.id)},
        {"customer": CUSTOMER},
        {"user_id": str(market.buyer.member.id), "customer": CUSTOMER},
    ]
    for owner in owners:
        made = market.buy(**owner)
        hidden = {**made, "user": None, "customer": NO_CUSTOMER, "api_customer_email": None}
        hidden["meta"] = {**made["meta"], "average_price": None, "filled_value": None, "fee": None}
        seen = market.seller.caller.get(f"{ORDERS}/{made['_id']}")
        assert exact_json(seen)["data"] == hidden
        assert list(exact_json(seen)["data"]) == ORDER_FIELDS
        listed = exact_json(market.seller.caller.get(market.path()))["data"]["orders"][0]
        assert list(listed) == ORDER_FIELDS
        assert {**listed, "token": made["token"]} == hidden
        assert listed["token"]["_id"] == made["token"]
        own = exact_json(market.buyer.caller.get(market.path()))["data"]["orders"][0]
        assert {**own, "token": made["token"]} == made
        assert market.seller.caller.get(ORDERS).json()["data"]["total"] == 0
    for path in (market.path(), f"{ORDERS}/{made['_id']}"):
        text = market.seller.caller.get(path).content.decode()
        assert str(market.buyer.member.id) not in text
        assert str(market.buyer.organisation.id) not in text
        assert "quote@example.com" not in text


def test_orders_that_are_over_are_their_owners_alone(market: Market):
    gone = market.buy(price=90)
    market.buyer.cancel(gone["_id"])
    filled = market.buy(tokens=5)
    market.sell(tokens=5)
    stranger = make_caller()
    for order in (gone, filled):
        path = f"{ORDERS}/{order['_id']}"
        assert market.buyer.caller.get(path).status_code == 200
        assert_error(stranger.get(path), 404, "order_not_found", "Order not found")
        assert_error(market.seller.caller.get(path), 404, "order_not_found", "Order not found")
    assert ids(stranger.get(market.path())) == []
    assert ids(market.buyer.caller.get(market.path())) == [filled["_id"], gone["_id"]]
    for status, order in (("cancelled", gone), ("Fulfilled", filled)):
        query = {"status": status}
        assert ids(market.buyer.caller.get(market.path(), query)) == [order["_id"]]
        assert ids(stranger.get(market.path(), query)) == []
        assert ids(market.buyer.caller.get(market.path(), {**query, "type": "sell"})) == []
    assert len(ids(market.seller.caller.get(market.path(), {"status": "Fulfilled"}))) == 1


def test_the_market_of_a_private_token_does_not_exist_for_those_it_is_not_for(market: Market):
    market.sell()
    order = market.sell(price=120)
    Token.objects.update(deal_access=DealAccess.PRIVATE)
    stranger = make_caller()
    parts = ("", "/book", "/trades")
    for part in parts:
        assert_error(stranger.get(market.path(part)), 404, "token_not_found", "Token not found")
    assert_error(
        stranger.get(f"{ORDERS}/{order['_id']}"), 404, "order_not_found", "Order not found"
    )
    grant_access(token_id=market.token.id, organisation_id=stranger.organisation.id)
    for part in parts:
        assert stranger.get(market.path(part)).status_code == 200
    assert stranger.get(f"{ORDERS}/{order['_id']}").status_code == 200
    issuer = make_caller(organisation=market.token.issuer)
    assert len(ids(issuer.get(market.path()))) == 2
    TokenAccess.objects.all().delete()
    # What one did while one could see the token stays one's own.
    assert_error(market.seller.caller.get(market.path()), 404, "token_not_found")
    assert len(ids(market.seller.caller.get(ORDERS))) == 2
    assert market.seller.fetch(order["_id"])["_id"] == order["_id"]


@pytest.mark.parametrize("part", ["", "/book", "/trades"])
@pytest.mark.parametrize("text", ["x", "%00", "token", "0" * 36, "9" * 400])
def test_a_token_id_that_is_none_is_not_found(part, text):
    response = make_caller().get(f"{ORDERS}/token/{text}{part}")
    assert_error(response, 404, "token_not_found", "Token not found")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("text", ["x", "%00", "token", "0" * 36, "9" * 400, "unknown"])
def test_an_order_id_that_is_none_is_not_found(method, text):
    text = str(uuid7()) if text == "unknown" else text
    response = make_caller().call(method, f"{ORDERS}/{text}")
    assert_error(response, 404, "order_not_found", "Order not found")


def test_ids_in_paths_are_found_in_capitals_too(market: Market):
    order = market.buy()
    assert market.buyer.fetch(order["_id"].upper()) == order
    path = f"{ORDERS}/token/{str(market.token.id).upper()}"
    listed = exact_json(market.buyer.caller.get(path))["data"]["orders"]
    assert listed[0]["token"]["_id"] == str(market.token.id)


KEYS: dict[str, Callable[[Order], Any]] = {
    "createdAt": lambda o: o.created_at,
    "price": lambda o: o.price,
    "amount": lambda o: o.amount,
}


def test_every_filter_and_order_gives_what_plain_python_says():
    chance = random.Random(11)
    tokens = [make_token(), make_token()]
    traders = [ApiTrader(), ApiTrader()]
    for trader in traders:
        for member in (False, True):
            trader.fund(10**6, member=member)
            for token in tokens:
                give_units(token, trader.wallet(member=member), 200)
    for number in range(70):
        trader = chance.choice(traders)
        side = chance.choice(["Buy", "Sell"])
        owners: list[dict[str, Any]] = [
            {},
            {"user_id": str(trader.member.id)},
            {"customer": CUSTOMER},
        ]
        order = trader.place(
            chance.choice(tokens),
            type=side,
            price=chance.randint(97, 101) + (4 if side == "Sell" else 0),
            tokens=chance.randint(1, 5),
            client_order_id=f"own-{number % 10}-{number}",
            **chance.choice(owners),
        )
        if chance.random() < 0.2 and order["status"] == "Active":
            trader.cancel(order["_id"])
    rows = list(Order.objects.all())
    assert {row.status for row in rows} == {"Active", "Cancelled", "Fulfilled"}
    for _ in range(150):
        trader = chance.choice(traders)
        sort = chance.choice([*KEYS, *(f"-{name}" for name in KEYS), ""])
        query: dict[str, Any] = {
            "type": chance.choice(["", "buy", "SELL"]),
            "status": chance.choice(["", "", "active", "Fulfilled", "CANCELLED"]),
            "sort": sort,
            "page": chance.randint(1, 3),
            "limit": chance.choice([3, 10, 50]),
        }
        query = {name: value for name, value in query.items() if value != ""}
        pivot = chance.choice(rows)
        of_token = chance.random() < 0.5
        if of_token:
            token = chance.choice(tokens)
            path = f"{ORDERS}/token/{token.id}"
            found = [
                row
                for row in rows
                if row.token_id == token.id
                and (row.status == "Active" or row.organisation_id == trader.organisation.id)
            ]
        else:
            path = ORDERS
            found = [row for row in rows if row.organisation_id == trader.organisation.id]
            query |= chance.choice(
                [
                    {"token_id": str(pivot.token_id)},
                    {"user_id": str(trader.member.id)},
                    {"owner_model": chance.choice(["user", "API_KEY", "Organisation"])},
                    {"client_order_id": pivot.client_order_id},
                    {"created_from": wire_time(pivot.created_at)},
                    {"created_to": wire_time(pivot.created_at)},
                    {"updated_from": wire_time(pivot.updated_at)},
                    {"updated_to": wire_time(pivot.updated_at)},
                    {},
                ]
            )
        tests: dict[str, Callable[[Order, Any], bool]] = {
            "type": lambda o, v: o.type.lower() == v.lower(),
            "status": lambda o, v: o.status.lower() == v.lower(),
            "token_id": lambda o, v: str(o.token_id) == v,
            "user_id": lambda o, v: str(o.member_id) == v,
            "owner_model": lambda o, v: o.owner_model == v.lower(),
            "client_order_id": lambda o, v: o.client_order_id == v,
            "created_from": lambda o, v: wire_time(o.created_at) >= v,
            "created_to": lambda o, v: wire_time(o.created_at) <= v,
            "updated_from": lambda o, v: wire_time(o.updated_at) >= v,
            "updated_to": lambda o, v: wire_time(o.updated_at) <= v,
        }
        for name, test in tests.items():
            value = query.get(name)
            if value:
                found = [row for row in found if test(row, value)]
        wanted = sort or "-createdAt"
        key = KEYS[wanted.removeprefix("-")]
        found.sort(key=lambda row: (key(row), row.id), reverse=wanted.startswith("-"))
        start = (query["page"] - 1) * query["limit"]
        response = trader.caller.get(path, query)
        expected = [str(row.id) for row in found[start : start + query["limit"]]]
        assert ids(response) == expected, query
        body = response.json()
        assert body["data"]["total"] == len(found), query
        assert body["meta"]["sort"] == wanted


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"type": "hold"}, "type must be one of [Buy, Sell]"),
        ({"status": "Pending"}, "status must be one of [Active, Fulfilled, Cancelled]"),
        (
            {"sort": "tokens"},
            "sort must be one of [createdAt, price, amount], with - in front for descending",
        ),
        ({"page": "0"}, "page must be a whole number from 1"),
        ({"limit": "-1"}, "limit must be a whole number from 1"),
    ],
)
def test_a_bad_parameter_names_what_is_allowed(market: Market, query, message, own):
    response = market.buyer.caller.get(ORDERS if own else market.path(), query)
    assert_error(response, 400, "invalid_request", message)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"owner_model": "staff"}, "owner_model must be one of [api_key, user, organisation]"),
        (
            {"created_from": "soon"},
            "created_from must be an ISO 8601 date, or a time with its offset",
        ),
        ({"created_to": "1"}, "created_to must be an ISO 8601 date, or a time with its offset"),
    ],
)
def test_a_bad_filter_of_the_organisations_orders_names_what_is_allowed(query, message):
    assert_error(make_caller().get(ORDERS, query), 400, "invalid_request", message)


def test_ids_that_are_none_find_nothing_and_empty_ones_are_refused(market: Market):
    market.buy()
    for query in ({"token_id": "x"}, {"user_id": "me"}, {"client_order_id": "x"}):
        assert ids(market.buyer.caller.get(ORDERS, query)) == []
    for name in ("token_id", "user_id", "client_order_id"):
        response = market.buyer.caller.get(ORDERS, {name: ""})
        assert_error(response, 400, "invalid_request", f"{name} must not be empty")


def test_an_own_id_of_64_characters_is_found_and_a_longer_one_is_refused(market: Market):
    longest = "x" * 64
    order = market.buy(client_order_id=longest)
    caller = market.buyer.caller
    assert ids(caller.get(ORDERS, {"client_order_id": longest})) == [order["_id"]]
    response = caller.get(ORDERS, {"client_order_id": f"{longest}x"})
    message = "client_order_id must have at most 64 characters"
    assert_error(response, 400, "invalid_request", message)


@pytest.mark.parametrize("unknown", ["%0A", "a%0Db", "a%2Fb", "%E2%80%A8"])
def test_any_text_may_be_looked_for_as_an_own_id(market: Market, unknown: str):
    response = market.buyer.caller.get(f"{ORDERS}/by-client-id/{unknown}")
    assert_error(response, 404, "order_not_found", "Order not found")


def test_the_round_trips_of_a_list_do_not_grow_with_the_page(market: Market, tmp_path):
    for number in range(24):
        trader = (market.buyer, market.seller)[number % 2]
        side = ("Buy", "Sell")[number % 2]
        trader.place(market.token, type=side, price=100 + 5 * (number % 2), tokens=1)
    caller = market.buyer.caller
    for path in (ORDERS, market.path()):
        caller.get(path)
    # The access token, the page, its documents, and its total unless the page tells it; for a token
    # also the token.
    for path, least in ((ORDERS, 3), (market.path(), 4)):
        for limit, counted in ((2, 1), (10, 1), (200, 0)):
            with round_trips(tmp_path) as answers:
                assert caller.get(path, {"limit": limit}).status_code == 200
            assert len(answers) == least + counted, (path, limit)
    order = Order.objects.first()
    assert order is not None
    for _ in range(2):
        with round_trips(tmp_path) as answers:
            caller.get(f"{ORDERS}/{order.id}")
    assert len(answers) == 2
