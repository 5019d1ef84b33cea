"""Placing orders when all is well: the interface's record, numbers and effects."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest

from exchange.events.models import Event
from orders.book.models import Order
from tests.factories.market import (
    NO_CUSTOMER,
    ORDER_FIELDS,
    ORDERS,
    UNFILLED,
    ApiTrader,
    Market,
    body_of,
    order_meta,
)
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import exact_json, round_trips

pytestmark = pytest.mark.django_db

ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
CUSTOMER = {"name": "Wanjiru Kamau", "email": "wanjiru@example.com"}


@pytest.fixture
def market() -> Market:
    return Market()


def owner_of(trader: ApiTrader, model: str) -> dict[str, Any]:
    """What a body says so that `model` owns the order."""
    owners: dict[str, dict[str, Any]] = {
        "organisation": {},
        "user": {"user_id": str(trader.member.id)},
        "api_key": {"customer": CUSTOMER},
    }
    return owners[model]


@pytest.mark.parametrize("model", ["organisation", "user", "api_key"])
@pytest.mark.parametrize("side", ["Buy", "Sell"])
def test_an_order_is_answered_with_exactly_this_text(market: Market, side, model):
    trader = market.buyer if side == "Buy" else market.seller
    response = trader.send(
        market.token, type=side, price=99.5, tokens=12.25, **owner_of(trader, model)
    )
    assert response.status_code == 201, response.content
    assert response["Content-Type"] == "application/json"
    user = f'"{trader.member.id}"' if model == "user" else "null"
    name, email = CUSTOMER.values() if model == "api_key" else ("", "")
    api_email = f'"{email}"' if model == "api_key" else "null"
    expected = (
        r'\{"status":"success","message":"Order placed","data":'
        rf'\{{"_id":"{ID}","price":99\.5,"amount":1218\.88,"type":"{side}",'
        rf'"owner_model":"{model}","status":"Active","user":{user},'
        rf'"token":"{market.token.id}","customer":\{{"name":"{name}","email":"{email}"\}},'
        rf'"api_customer_email":{api_email},"meta":\{{"tokens":12\.25,{UNFILLED}\}},'
        rf'"createdAt":"({TIME})","updatedAt":"\1"\}}\}}'
    )
    assert re.fullmatch(expected, response.content.decode()), response.content.decode()


@pytest.mark.parametrize("model", ["organisation", "user", "api_key"])
def test_a_resting_buy_reserves_its_value_and_the_most_its_fee_can_be(model):
    market = Market(buy_fee=Decimal("1.5"))
    member = model == "user"
    market.buy(price=33.33, tokens=3.5, **owner_of(market.buyer, model))
    # 116.655 and a fee of 1.749825, rounded up.
    assert market.buyer.held("NGN", member=member) == Decimal("99881.59")
    assert market.buyer.held("NGN", "reserved", member=member) == Decimal("118.41")
    assert market.buyer.held("NGN", member=not member) == 100_000
    assert_books_hold()


@pytest.mark.parametrize("model", ["organisation", "user", "api_key"])
def test_a_resting_sell_reserves_its_units(model):
    market = Market(sell_fee=Decimal(2))
    member = model == "user"
    market.sell(price=120, tokens=3.00000001, **owner_of(market.seller, model))
    assert market.seller.held(market.token, member=member) == Decimal("96.99999999")
    assert market.seller.held(market.token, "reserved", member=member) == Decimal("3.00000001")
    assert market.seller.held(market.token, member=not member) == 100
    assert_books_hold()


def test_a_customer_given_with_a_member_is_kept_and_the_member_owns_the_order(market: Market):
    order = market.buy(user_id=str(market.buyer.member.id), customer=CUSTOMER)
    assert order["owner_model"] == "user"
    assert order["user"] == str(market.buyer.member.id)
    assert order["customer"] == CUSTOMER
    assert order["api_customer_email"] is None
    assert market.buyer.held("NGN", member=True) == 99_000
    assert market.buyer.held("NGN") == 100_000


@pytest.mark.parametrize("written", ["Buy", "buy", "BUY", "bUy"])
def test_the_side_may_be_written_in_any_case(market: Market, written):
    assert market.buy(type=written)["type"] == "Buy"


def test_a_side_is_sell_in_any_case_too(market: Market):
    assert market.seller.place(market.token, type="sELL")["type"] == "Sell"


def test_the_key_that_placed_an_order_is_on_record(market: Market):
    order = Order.objects.get(id=market.buy()["_id"])
    key = market.buyer.caller.key
    assert (order.api_key_id, order.placed_by) == (key.id, f"api_key:{key.id}")


def test_fields_the_server_owns_have_no_effect(market: Market):
    owned: dict[str, Any] = {
        "_id": "0190a1b2-0000-7000-8000-000000000000",
        "status": "Fulfilled",
        "owner_model": "user",
        "user": str(market.seller.member.id),
        "organisation_id": str(market.seller.organisation.id),
        "member_id": [],
        "api_key_id": None,
        "api_customer_email": "x@example.com",
        "meta": {"tokens": 1, "filled": 10},
        "filled": 10,
        "fee_percent": 0,
        "reserved": 0,
        "seq": -1,
        "createdAt": "2020-01-01T00:00:00.000Z",
        "nonsense": {"a": [1]},
    }
    order = market.buy(**owned)
    assert order["_id"] != owned["_id"]
    assert (order["amount"], order["status"]) == (1000, "Active")
    assert (order["owner_model"], order["user"]) == ("organisation", None)
    assert order["api_customer_email"] is None
    assert order["meta"] == order_meta(10)
    assert not order["createdAt"].startswith("2020")
    assert market.buyer.held("NGN", "reserved") == 1000


@pytest.mark.parametrize(
    ("price", "tokens", "answered"),
    [
        ("100.00", "10", '"price":100,"amount":1000,'),
        ("1e2", "1.0E1", '"price":100,"amount":1000,'),
        ("0.1e3", "0.00000001e9", '"price":100,"amount":1000,'),
        ("100.10", "0.1", '"price":100.1,"amount":10.01,'),
    ],
)
def test_numbers_may_be_written_in_any_way_json_allows(market: Market, price, tokens, answered):
    body = json.dumps(body_of(market.token, price=1.5, tokens=2.5))
    body = body.replace("1.5", price, 1).replace("2.5", tokens, 1)
    response = market.buyer.caller.post(ORDERS, body)
    assert answered.encode() in response.content, response.content


def test_an_order_near_ten_to_the_fifteen_keeps_every_digit():
    token = make_token(total_supply=Decimal(10) ** 15)
    seller = ApiTrader()
    give_units(token, seller.wallet(), "9999999.87654321")
    body = json.dumps(body_of(token, type="Sell", price=1.5, tokens=2.5))
    body = body.replace("1.5", "99999999.99", 1).replace("2.5", "9999999.87654321", 1)
    response = seller.caller.post(ORDERS, body)
    # 99999999.99 * 9999999.87654321 = 999999987554321.0012…
    assert b'"price":99999999.99,"amount":999999987554321,' in response.content, response.content
    assert b'"meta":{"tokens":9999999.87654321,%s}' % UNFILLED.encode() in response.content


def test_the_value_of_an_order_has_the_decimals_of_its_currency():
    market = Market(currency="UGX", price_buy=Decimal(3600), price_sell=Decimal(3600))
    # 3,601 * 2.5 = 9,002.5: shown half-even, reserved rounded up.
    assert market.buy(price=3601, tokens=2.5)["amount"] == 9002
    assert market.buyer.held("UGX", "reserved") == 9003


@pytest.mark.parametrize("model", ["organisation", "user", "api_key"])
def test_an_order_is_fetched_as_it_was_answered(market: Market, model):
    response = market.buyer.send(market.token, **owner_of(market.buyer, model))
    placed = json.loads(response.content)["data"]
    assert list(placed) == ORDER_FIELDS
    fetched = market.buyer.caller.get(f"{ORDERS}/{placed['_id']}")
    assert fetched.status_code == 200
    assert json.loads(fetched.content) == {
        "status": "success",
        "message": "Order retrieved",
        "data": placed,
    }
    assert list(json.loads(fetched.content)["data"]) == ORDER_FIELDS


def test_an_own_id_may_be_used_by_every_organisation_once(market: Market):
    for trader, side in ((market.buyer, "Buy"), (market.seller, "Sell")):
        order = trader.place(market.token, type=side, client_order_id="17 / Zoë")
        data = exact_json(trader.caller.get(ORDERS, {"client_order_id": "17 / Zoë"}))["data"]
        assert [found["_id"] for found in data["orders"]] == [order["_id"]]


def test_orders_without_an_own_id_are_as_many_as_one_likes(market: Market):
    assert market.buy()["_id"] != market.buy()["_id"]


def test_text_is_kept_as_it_was_sent(market: Market):
    name = 'O\'Neil "the ☃", \\ {"token":"x"}'
    order = market.buy(customer={"name": name, "email": "o.neil+x@example.com"})
    assert order["customer"] == {"name": name, "email": "o.neil+x@example.com"}
    assert market.buyer.fetch(order["_id"]) == order


def test_order_created_goes_to_the_organisation_with_exactly_this_body(market: Market):
    response = market.buyer.send(market.token, customer=CUSTOMER)
    order = json.loads(response.content)["data"]
    event = Event.objects.get()
    assert (event.organisation_id, event.type) == (market.buyer.organisation.id, "order.created")
    assert str(event.subject_id) == order["_id"]
    body = json.loads(event.body)
    assert list(body) == ["id", "type", "timestamp", "data"]
    assert (body["id"], body["type"]) == (str(event.id), "order.created")
    assert body["data"] == {"order": order}
    assert list(body["data"]["order"]) == ORDER_FIELDS


def test_an_order_of_nobody_in_particular_has_an_empty_customer(market: Market):
    assert market.buy()["customer"] == NO_CUSTOMER


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "once"}])
def test_placing_takes_two_round_trips_to_the_database(tmp_path, headers):
    market = Market()
    for price in (90, 91):
        market.buy(price=price)
    with round_trips(tmp_path) as answers:
        response = market.buyer.caller.post(ORDERS, body_of(market.token), **headers)
    assert response.status_code == 201, response.content
    assert len(answers) == 2, answers
