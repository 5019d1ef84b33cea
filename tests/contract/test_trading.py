"""Orders that meet, over HTTP: what both sides pay and get, what is told, book and trades."""

import json
from decimal import Decimal
from typing import Any

import pytest

from exchange.tokens.models import Token
from tests.factories.api_clients import assert_error, make_caller
from tests.factories.market import ApiTrader, Market, events, order_meta
from tests.factories.tokens import give_units
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import exact_json, round_trips

pytestmark = pytest.mark.django_db

TRADE_FIELDS = ["_id", "token", "price", "tokens", "amount", "type", "createdAt"]
OWN_ORDERS = {"buy_order": None, "sell_order": None}
CUSTOMER = {"name": "Wanjiru", "email": "wanjiru@example.com"}


@pytest.fixture
def market() -> Market:
    return Market()


def trades(market: Market, **query: Any) -> list[dict[str, Any]]:
    response = make_caller().get(market.path("/trades"), query)
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = exact_json(response)["data"]["trades"]
    return found


def book(market: Market, **query: Any) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    response = make_caller().get(market.path("/book"), query)
    assert response.status_code == 200, response.content
    data = exact_json(response)["data"]
    assert list(data) == ["seq", "bids", "asks"]
    for level in data["bids"] + data["asks"]:
        assert list(level) == ["price", "tokens", "orders"]
    bids, asks = ([tuple(level.values()) for level in data[side]] for side in ("bids", "asks"))
    return bids, asks


def test_an_order_trades_at_the_price_of_the_one_that_waited(market: Market):
    market.sell(price=98.5, tokens=4)
    bought = market.buy(price=100, tokens=4)
    assert bought["status"] == "Fulfilled"
    assert bought["amount"] == 400
    assert bought["meta"] == order_meta(4, 4, 394)
    assert market.buyer.held("NGN") == 100_000 - 394
    assert market.buyer.held("NGN", "reserved") == 0
    assert market.buyer.held(market.token) == 4
    assert market.seller.held("NGN") == 394
    assert market.seller.held(market.token) == 96
    assert market.seller.held(market.token, "reserved") == 0
    assert_books_hold()


def test_both_sides_pay_their_own_fee():
    market = Market(buy_fee=Decimal("1.5"), sell_fee=Decimal("0.5"))
    market.buy(price=100, tokens=3)
    market.sell(price=90, tokens=3)
    assert market.buyer.held("NGN") == 100_000 - Decimal("304.5")
    assert market.seller.held("NGN") == Decimal("298.5")
    assert_books_hold()


def test_a_partly_filled_order_stays_active_and_tells_how_far_it_is(market: Market):
    sold = market.sell(tokens=10)
    for tokens, filled in ((2.5, "2.5"), (0.25, "2.75"), (7, "9.75")):
        market.buy(tokens=tokens)
        seen = market.seller.fetch(sold["_id"])
        assert (seen["status"], seen["meta"]) == (
            "Active",
            order_meta(10, filled, Decimal(filled) * 100),
        )
        assert seen["amount"] == 1000
        # Others see the units, not what the owner received.
        hidden = {"average_price": None, "filled_value": None, "fee": None}
        assert market.buyer.fetch(sold["_id"])["meta"] == seen["meta"] | hidden
    last = market.buy(tokens=1)
    assert (last["status"], last["meta"]) == ("Active", order_meta(1, "0.25", 25))
    seen = market.seller.fetch(sold["_id"])
    assert (seen["status"], seen["meta"]) == ("Fulfilled", order_meta(10, 10, 1000))
    assert seen["updatedAt"] > seen["createdAt"]
    assert_books_hold()


def test_better_prices_come_first_and_at_one_price_who_came_first(market: Market):
    member = {"user_id": str(market.seller.member.id)}
    late_and_dear = market.sell(price=102, tokens=5)
    first = market.sell(price=101, tokens=2)
    second = market.sell(price=101, tokens=2, **member)
    best = market.sell(price=100.5, tokens=1)
    bought = market.buy(price=101.5, tokens=4)
    assert bought["meta"]["filled"] == 4
    filled = [
        market.seller.fetch(order["_id"])["meta"]["filled"]
        for order in (best, first, second, late_and_dear)
    ]
    assert filled == [1, 2, 1, 0]
    assert [(t["price"], t["tokens"]) for t in trades(market)] == [
        (101, 1),
        (101, 2),
        (Decimal("100.5"), 1),
    ]


@pytest.mark.parametrize(
    ("resting", "incoming"), [({}, {}), ({"customer": CUSTOMER}, {}), ({}, {"customer": CUSTOMER})]
)
@pytest.mark.parametrize("side", ["Buy", "Sell"])
@pytest.mark.one_in(3)
def test_an_owner_never_trades_with_itself(market: Market, side, resting, incoming):
    trader = market.buyer.fund(1)
    give_units(market.token, trader.wallet(), 50)
    other = "Sell" if side == "Buy" else "Buy"
    worst = 101 if side == "Buy" else 99
    market.seller.fund(10_000)
    stranger = market.seller.place(market.token, type=other, price=100, tokens=1)
    waits = trader.place(market.token, type=other, price=worst, tokens=5, **resting)
    came = trader.place(market.token, type=side, price=worst, tokens=5, **incoming)
    # It took what somebody else offered, then met its own.
    assert (came["status"], came["meta"]["filled"]) == ("Cancelled", 1)
    assert market.seller.fetch(stranger["_id"])["status"] == "Fulfilled"
    seen = trader.fetch(waits["_id"])
    assert (seen["status"], seen["meta"]["filled"]) == ("Active", 0)
    _, kind, data = events()[-1]
    assert kind == "order.cancelled"
    assert data == {
        "order": json.loads(json.dumps(came, default=float)),
        "reason": "self_trade",
    }
    assert_books_hold()


def test_an_organisation_trades_with_its_member_and_members_with_each_other(market: Market):
    trader = market.seller.fund(1000)
    trader.fund(1000, member=True)
    member = {"user_id": str(trader.member.id)}
    trader.place(market.token, type="Sell", tokens=1)
    assert trader.place(market.token, tokens=1, **member)["status"] == "Fulfilled"
    trader.place(market.token, type="Sell", tokens=1, **member)
    assert trader.place(market.token, tokens=1)["status"] == "Fulfilled"
    assert_books_hold()


def test_a_trade_is_told_to_both_organisations_each_with_its_own_order(market: Market):
    sold = market.sell(tokens=2, customer=CUSTOMER)
    bought = market.buyer.send(market.token, tokens=5, user_id=str(market.buyer.member.id))
    taker = json.loads(bought.content)["data"]
    maker = json.loads(market.seller.caller.get(f"/v1/orders/{sold['_id']}").content)["data"]
    trade = json.loads(make_caller().get(market.path("/trades")).content)["data"]["trades"][0]
    assert list(trade) == [*TRADE_FIELDS, *OWN_ORDERS]
    # Events have the order itself.
    trade = {name: trade[name] for name in TRADE_FIELDS}
    assert (trade["price"], trade["tokens"], trade["amount"], trade["type"]) == (100, 2, 200, "Buy")
    assert maker["status"] == "Fulfilled"
    buyer, seller = market.buyer.organisation.id, market.seller.organisation.id
    told = events()[1:]
    assert told[0] == (buyer, "order.created", {"order": taker})
    for sent, order, liquidity in ((told[1], taker, "taker"), (told[2], maker, "maker")):
        fill = {"value": 200, "fee": order["meta"]["fee"], "liquidity": liquidity}
        assert sent[1:] == ("trade.created", {"trade": trade, "order": order, "fill": fill})
    assert [sent[0] for sent in told[1:3]] == [buyer, seller]
    assert told[3] == (seller, "order.fulfilled", {"order": maker, "reason": None})
    assert len(told) == 4
    for organisation, _, data in told:
        other = market.seller if organisation == buyer else market.buyer
        assert str(other.organisation.id) not in json.dumps(data)
        assert str(other.member.id) not in json.dumps(data)


def test_a_fulfilled_order_is_told_after_its_trades(market: Market):
    for price in (99, 100):
        market.sell(price=price, tokens=1)
    taker = market.buy(tokens=2)
    own = [event[1] for event in events() if event[0] == market.buyer.organisation.id]
    assert own == ["order.created", "trade.created", "trade.created", "order.fulfilled"]
    assert taker["status"] == "Fulfilled"


def test_trades_count_in_the_volume_of_the_token_and_leave_its_quotes_alone(market: Market):
    market.sell(price=150, tokens=2.5)
    market.buy(price=150, tokens=2.5)
    listed = exact_json(market.buyer.caller.get(market.path()))["data"]["orders"][0]["token"]
    assert listed["vol"] == {"buy": Decimal("2.5"), "sell": Decimal("2.5")}
    assert listed["price"] == {"buy": 100, "sell": 100, "exchange": 0}
    assert listed["prev_price"] == {"buy": 100, "sell": 100, "exchange": 0}


def test_in_a_primary_raise_the_issuer_fills_a_buy_at_the_offer():
    market = Market(raise_amount=Decimal(50_000), buy_fee=Decimal(2))
    bought = market.buy(price=120, tokens=10)
    assert (bought["status"], bought["meta"]) == ("Fulfilled", order_meta(10, 10, 1000, fee=20))
    assert bought["amount"] == 1200
    assert market.buyer.held("NGN") == 100_000 - 1020
    assert market.buyer.held(market.token) == 10
    rest = market.buy(price=100, tokens=600)
    assert (rest["status"], rest["meta"]["filled"]) == ("Cancelled", 490)
    [reason] = [data["reason"] for _, kind, data in events() if kind == "order.cancelled"]
    assert reason == "raise_sold_out"
    token = Token.objects.get()
    assert (token.completed_raise, token.total_raised, token.supply) == (True, 50_000, 500)
    assert [(t["tokens"], t["amount"], t["type"]) for t in trades(market)] == [
        (490, 49_000, "Buy"),
        (10, 1000, "Buy"),
    ]
    assert book(market) == ([], [])
    assert_books_hold()


def test_the_book_has_open_units_by_price_best_first(market: Market):
    assert book(market) == ([], [])
    member = {"user_id": str(market.buyer.member.id)}
    for price, tokens, owner in ((98, 1, {}), (99, 2.5, {}), (99, 1, member), (97.5, 0.5, {})):
        market.buy(price=price, tokens=tokens, **owner)
    for price, tokens in ((101.5, 3), (101, 4), (110, 1), (101, 1)):
        market.sell(price=price, tokens=tokens)
    market.buyer.cancel(market.buy(price=98.5)["_id"])
    market.buy(price=101, tokens=1.5)
    bids = [(99, Decimal("3.5"), 2), (98, 1, 1), (Decimal("97.5"), Decimal("0.5"), 1)]
    asks = [(101, Decimal("3.5"), 2), (Decimal("101.5"), 3, 1), (110, 1, 1)]
    assert book(market) == (bids, asks)
    for levels in (1, 2, 3):
        assert book(market, levels=levels) == (bids[:levels], asks[:levels])
    response = make_caller().get(market.path("/book"), {"levels": 1})
    assert response.content == (
        b'{"status":"success","message":"Book retrieved","data":{"seq":11,"bids":[{"price":99,'
        b'"tokens":3.5,"orders":2}],"asks":[{"price":101,"tokens":3.5,"orders":2}]}}'
    )


def test_the_book_shows_twenty_levels_unless_asked_and_two_hundred_at_most(market: Market):
    for step in range(205):
        market.buy(price=(100 + step) / 100, tokens=1)
    prices = [Decimal(304 - step) / 100 for step in range(205)]
    for query, count in (({}, 20), ({"levels": 200}, 200), ({"levels": 10**30}, 200)):
        bids, asks = book(market, **query)
        assert [bid[0] for bid in bids] == prices[:count]
        assert asks == []


@pytest.mark.parametrize("levels", ["0", "-1", "1.5", "x", "٣"])
def test_levels_that_are_no_whole_number_are_refused(market: Market, levels):
    response = make_caller().get(market.path("/book"), {"levels": levels})
    assert_error(response, 400, "invalid_request", "levels must be a whole number from 1")


def fills(market: Market) -> None:
    """Three trades: 2 at 100, 1 at 101, 3 at 99, the last one taken by a Sell."""
    market.sell(price=100, tokens=2)
    market.sell(price=101, tokens=1)
    market.buy(price=101, tokens=3)
    market.buy(price=99, tokens=3)
    market.sell(price=99, tokens=3)


def test_trades_are_listed_newest_first_in_exactly_this_text(market: Market):
    fills(market)
    response = make_caller().get(market.path("/trades"), {"limit": 1})
    body = json.loads(response.content)
    assert list(body) == ["status", "message", "data"]
    (trade,) = body["data"]["trades"]
    assert response.content.decode() == (
        '{"status":"success","message":"Trades retrieved","data":{"page":1,"pages":3,"count":1,'
        f'"total":3,"trades":[{{"_id":"{trade["_id"]}","token":"{market.token.id}","price":99,'
        f'"tokens":3,"amount":297,"type":"Sell","createdAt":"{trade["createdAt"]}",'
        '"buy_order":null,"sell_order":null}]}}'
    )


@pytest.mark.parametrize(
    ("query", "prices"),
    [
        ({}, [99, 101, 100]),
        ({"sort": "createdAt"}, [100, 101, 99]),
        ({"sort": "price"}, [99, 100, 101]),
        ({"sort": "-tokens"}, [99, 100, 101]),
        ({"type": "buy"}, [101, 100]),
        ({"type": "SELL"}, [99]),
        ({"limit": 2, "page": 2}, [100]),
        ({"page": 7}, []),
        ({"created_from": "2020-01-01"}, [99, 101, 100]),
        ({"created_to": "2020-01-01"}, []),
    ],
)
def test_trades_can_be_filtered_sorted_and_paged(market: Market, query, prices):
    fills(market)
    assert [trade["price"] for trade in trades(market, **query)] == prices


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"type": "x"}, "type must be one of [Buy, Sell]"),
        (
            {"sort": "amount"},
            "sort must be one of [createdAt, price, tokens], with - in front for descending",
        ),
        (
            {"created_to": "x"},
            "created_to must be an ISO 8601 date, or a time with its offset",
        ),
    ],
)
def test_a_bad_parameter_of_trades_names_what_is_allowed(market: Market, query, message):
    response = make_caller().get(market.path("/trades"), query)
    assert_error(response, 400, "invalid_request", message)


def test_trades_of_other_tokens_are_not_shown(market: Market):
    fills(market)
    other = Market()
    assert trades(other) == []
    assert book(other) == ([], [])


def test_book_and_trades_take_the_same_round_trips_however_much_there_is(market: Market, tmp_path):
    fills(market)
    caller = ApiTrader().caller
    for part, query, expected in (
        ("/book", {}, 3),
        ("/trades", {}, 4),
        ("/trades", {"limit": 2}, 5),
    ):
        caller.get(market.path(part), query)
        for _ in range(2):
            with round_trips(tmp_path) as answers:
                caller.get(market.path(part), query)
            assert len(answers) == expected, (part, query)
            fills(market)
