"""Every rule that refuses an order: its own message and code, and nothing is reserved."""

from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from exchange.tokens.models import DealAccess
from exchange.tokens.services.tokens import grant_access
from orders.book.models import Order
from tests.assertions.unchanged import assert_nothing_changes
from tests.factories.api_clients import assert_error, make_caller, make_member
from tests.factories.lifecycle import set_flags
from tests.factories.market import ORDERS, ApiTrader, Market, body_of

RAISE = {"raise_amount": Decimal(50_000)}

# The listing, columns set after it, what the body changes, the code and the message.
RULES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str, str]] = [
    ({}, {"cancelled": True}, {}, "token_cancelled", "The token is cancelled"),
    ({}, {"exited": True}, {}, "token_exited", "The token has exited"),
    ({}, {"closed": True}, {}, "token_closed", "The token is closed to new orders"),
    ({}, {"closed": True}, {"type": "Sell"}, "token_closed", "The token is closed to new orders"),
    (
        {},
        {"secondaries": False},
        {},
        "not_in_secondaries",
        "The token does not trade in the secondary market",
    ),
    (
        {},
        {},
        {"price": 99.999},
        "invalid_request",
        "price must not have more than 2 decimals",
    ),
    (
        {"currency": "UGX"},
        {},
        {"price": 99.5},
        "invalid_request",
        "price must not have decimals",
    ),
    (
        RAISE,
        {},
        {"type": "Sell"},
        "in_primary_raise",
        "The token is in its primary raise: it can be bought, not sold",
    ),
    (
        RAISE,
        {},
        {"price": 99.99},
        "below_offer",
        "In the primary raise a unit costs 100: price must be at least that",
    ),
    (
        {"min_buy": Decimal(90), "max_buy": Decimal("110.5")},
        {},
        {"price": 89.99},
        "price_out_of_band",
        "The price of a buy order must be at least 90 and at most 110.5",
    ),
    (
        {"min_buy": Decimal(90), "max_buy": Decimal("110.5")},
        {},
        {"price": 110.51},
        "price_out_of_band",
        "The price of a buy order must be at least 90 and at most 110.5",
    ),
    (
        {"min_sell": Decimal(90)},
        {},
        {"type": "sell", "price": 1},
        "price_out_of_band",
        "The price of a sell order must be at least 90",
    ),
    (
        {"max_sell": Decimal(110)},
        {},
        {"type": "Sell", "price": 111},
        "price_out_of_band",
        "The price of a sell order must be at most 110",
    ),
    (
        {},
        {},
        {"price": 0.01, "tokens": 0.5},
        "worth_nothing",
        "The order is worth less than the smallest unit of the currency",
    ),
    (
        {},
        {},
        {"price": 1_000_000_000_000_000, "tokens": 1.00000001},
        "amount_too_large",
        "price times tokens must not be above 1000000000000000",
    ),
    (
        {"min_trade_buy": Decimal("1000.01")},
        {},
        {},
        "below_min_trade",
        "A buy order must be worth at least 1000.01: it is worth 1000",
    ),
    (
        {"min_trade_sell": Decimal(2000)},
        {},
        {"type": "Sell"},
        "below_min_trade",
        "A sell order must be worth at least 2000: it is worth 1000",
    ),
    (
        {"max_trade_buy": Decimal("999.99")},
        {},
        {},
        "above_max_trade",
        "A buy order must be worth at most 999.99: it is worth 1000",
    ),
    (
        {"max_trade_sell": Decimal(500)},
        {},
        {"type": "SELL", "tokens": 5.01},
        "above_max_trade",
        "A sell order must be worth at most 500: it is worth 501",
    ),
    (
        {},
        {},
        {"tokens": 1000.01},
        "insufficient_balance",
        "Insufficient NGN balance. Available: 100000, requested: 100001",
    ),
    (
        {"buy_fee": Decimal("0.01")},
        {},
        {"tokens": 1000},
        "insufficient_balance",
        "Insufficient NGN balance. Available: 100000, requested: 100010",
    ),
    (
        RAISE,
        {},
        {"tokens": 1000.01},
        "insufficient_balance",
        "Insufficient NGN balance. Available: 100000, requested: 100001",
    ),
    (
        {},
        {},
        {"type": "Sell", "tokens": 100.00000001},
        "insufficient_units",
        "Insufficient units. Available: 100, requested: 100.00000001",
    ),
]


@pytest.mark.parametrize(("listing", "columns", "changes", "code", "message"), RULES)
@pytest.mark.one_in(5)
def test_a_rule_that_says_no_names_itself(
    module_database: None, listing, columns, changes, code, message
):
    """To an organisation and to its member, with an idempotency key and without."""
    market = Market(**listing)
    set_flags(market.token, **columns)
    side = str(changes.get("type", "Buy"))
    trader = market.buyer if side == "Buy" else market.seller
    for owner in ({}, {"user_id": str(trader.member.id)}):
        body = body_of(market.token, **changes, **owner)
        for headers in ({}, {"Idempotency_Key": "k"}):
            with assert_nothing_changes():
                response = trader.caller.post(ORDERS, body, **headers)
            assert_error(response, 400, code, message)


@pytest.fixture
def market(module_database: None) -> Market:
    return Market()


@pytest.fixture(scope="module")
def untouched(module_database: None) -> Market:
    """For tests that only read it, or are refused."""
    return Market()


@pytest.mark.parametrize(
    ("listing", "changes"),
    [
        ({"min_buy": Decimal(100), "max_buy": Decimal(100)}, {}),
        ({"min_trade_buy": Decimal(1000), "max_trade_buy": Decimal(1000)}, {}),
        ({"min_sell": Decimal(101), "max_trade_sell": Decimal(1), "sell_fee": Decimal(50)}, {}),
        ({"buy_fee": Decimal("0.1")}, {"tokens": 999}),
        ({}, {"tokens": 1000}),
        ({}, {"price": 0.01, "tokens": 0.50000001}),
        (RAISE, {}),
    ],
)
def test_what_is_just_within_the_rules_is_taken(module_database: None, listing, changes):
    market = Market(**listing)
    response = market.buyer.send(market.token, **changes)
    assert response.status_code == 201, response.content


def test_who_has_nothing_has_zero(untouched: Market):
    trader = ApiTrader()
    with assert_nothing_changes():
        response = trader.send(untouched.token)
    message = "Insufficient NGN balance. Available: 0, requested: 1000"
    assert_error(response, 400, "insufficient_balance", message)
    with assert_nothing_changes():
        response = trader.send(untouched.token, type="Sell")
    message = "Insufficient units. Available: 0, requested: 10"
    assert_error(response, 400, "insufficient_units", message)


def test_what_other_orders_reserved_is_not_there_to_be_offered_again(market: Market):
    market.buy(tokens=600)
    market.sell(price=120, tokens=60)
    with assert_nothing_changes():
        response = market.buyer.send(market.token, tokens=401)
    message = "Insufficient NGN balance. Available: 40000, requested: 40100"
    assert_error(response, 400, "insufficient_balance", message)
    with assert_nothing_changes():
        response = market.seller.send(market.token, type="Sell", price=120, tokens=41)
    assert_error(
        response, 400, "insufficient_units", "Insufficient units. Available: 40, requested: 41"
    )


def test_the_organisations_money_does_not_pay_for_its_member(untouched: Market):
    second = make_member(untouched.buyer.organisation, "Obi")
    with assert_nothing_changes():
        response = untouched.buyer.send(untouched.token, user_id=str(second.id))
    message = "Insufficient NGN balance. Available: 0, requested: 1000"
    assert_error(response, 400, "insufficient_balance", message)


def test_an_issuer_cannot_buy_in_its_own_raise_but_its_members_can(module_database: None):
    issuer = ApiTrader().fund(5000)
    issuer.fund(5000, member=True)
    market = Market(issuer=issuer.organisation, **RAISE)
    for changes in ({}, {"customer": {"name": "A", "email": "a@example.com"}}):
        with assert_nothing_changes():
            response = issuer.send(market.token, **changes)
        assert_error(response, 400, "own_raise", "An issuer cannot buy in its own raise")
    assert issuer.place(market.token, user_id=str(issuer.member.id))["status"] == "Fulfilled"


@pytest.mark.parametrize("token", ["unknown", "malformed", "", "member", "upper"])
def test_a_token_that_is_none_is_not_found(untouched: Market, token):
    ids = {
        "unknown": str(uuid7()),
        "malformed": "x",
        "member": str(untouched.buyer.member.id),
        "upper": "{" + str(untouched.token.id) + "}",
    }
    if token == "":
        with assert_nothing_changes():
            response = untouched.buyer.send(untouched.token, token_id="")
        assert_error(response, 400, "invalid_request", "token_id must not be blank")
        return
    with assert_nothing_changes():
        response = untouched.buyer.send(untouched.token, token_id=ids[token])
    assert_error(response, 404, "token_not_found", "Token not found")


def test_a_token_one_may_not_see_does_not_exist_until_access_is_granted(module_database: None):
    market = Market(deal_access=DealAccess.PRIVATE)
    with assert_nothing_changes():
        response = market.buyer.send(market.token)
    assert_error(response, 404, "token_not_found", "Token not found")
    grant_access(token_id=market.token.id, organisation_id=market.buyer.organisation.id)
    assert market.buy()["status"] == "Active"


@pytest.mark.parametrize("user", ["unknown", "malformed", "foreign"])
def test_a_member_that_is_not_ones_own_is_not_found(untouched: Market, user):
    ids = {
        "unknown": str(uuid7()),
        "malformed": "me",
        "foreign": str(untouched.seller.member.id),
    }
    with assert_nothing_changes():
        response = untouched.buyer.send(untouched.token, user_id=ids[user])
    assert_error(response, 404, "user_not_found", "User not found")


def test_an_own_id_names_one_order_of_the_organisation_for_good(market: Market):
    order = market.buy(client_order_id="A-1")
    for changes in ({}, {"price": 1}, {"user_id": str(market.buyer.member.id)}):
        with assert_nothing_changes():
            response = market.buyer.send(market.token, client_order_id="A-1", **changes)
        message = "There is an order with client_order_id A-1 already"
        assert_error(response, 409, "duplicate_client_order_id", message)
    market.buyer.cancel(order["_id"])
    response = market.buyer.send(market.token, client_order_id="A-1")
    assert_error(response, 409, "duplicate_client_order_id")
    assert Order.objects.filter(organisation=market.buyer.organisation).count() == 1
    assert market.buy(client_order_id="a-1")["status"] == "Active"


def test_a_duplicate_of_an_order_that_would_trade_undoes_the_trade(market: Market):
    market.buy(client_order_id="A-1", price=90)
    market.sell(price=100)
    with assert_nothing_changes():
        response = market.buyer.send(market.token, client_order_id="A-1", price=100)
    assert_error(response, 409, "duplicate_client_order_id")


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("POST", "", "orders:write"),
        ("DELETE", "/x", "orders:write"),
        ("GET", "", "orders:read"),
        ("GET", "/x", "orders:read"),
        ("GET", "/token/x", "orders:read"),
        ("GET", "/token/x/book", "orders:read"),
        ("GET", "/token/x/trades", "orders:read"),
    ],
)
def test_every_address_needs_its_scope(module_database: None, method, path, scope):
    other = {"orders:write", "orders:read", "tokens:read", "portfolio:read"} - {scope}
    caller = make_caller(other)
    response = caller.call(method, f"{ORDERS}{path}")
    assert_error(response, 403, "insufficient_scope", f"This needs the scope {scope}")
