"""One token and both lists of tokens: shapes, messages, access, and what a token looks like."""

from decimal import Decimal
from typing import Any

import pytest

from exchange.participants.services.api_keys import revoke_api_key
from exchange.tokens.models import Token
from exchange.tokens.payloads import TOKEN
from exchange.tokens.services.quotes import Prices
from tests.environment.owner import as_owner
from tests.factories.api_clients import (
    TESTER,
    assert_error,
    make_caller,
    make_member,
    make_organisation,
)
from tests.factories.quotes import set_effective_quote
from tests.factories.tokens import make_token
from tests.factories.withdrawals import exact_json

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_urls")]

LIST = "/v1/api/tokens"
SEARCH = "/v1/api/token/search"
ONE = "/v1/api/token/{}"
# As the interface lists them.
FIELDS = [
    "_id",
    "name",
    "symbol",
    "reference",
    "image",
    "currency",
    "creator",
    "asset",
    "request",
    "price",
    "prev_price",
    "min",
    "max",
    "vol",
    "min_trade",
    "max_trade",
    "type",
    "deal_access",
    "investment_type",
    "investment_category",
    "payout_frequency",
    "raise_amount",
    "buy_fee",
    "sell_fee",
    "carry",
    "management_fee",
    "valuation",
    "discount",
    "interest",
    "dividend",
    "tenor",
    "secondaries",
    "completed_raise",
    "supply",
    "total_supply",
    "total_raised",
    "exited",
    "cancelled",
    "esop_token",
    "post_raise_valuation",
    "milestone",
    "total_allocated",
    "createdAt",
    "updatedAt",
]


def wire(moment: Any) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def test_a_token_has_every_field_of_the_interface_exactly():
    issuer = make_organisation()
    creator = make_member(issuer)
    token = make_token(
        issuer,
        name='Lekki "Gardens" \\ Phase 2',
        symbol="LKG2",
        image="https://images.example.com/lkg2.png",
        listing_reference="REQ-7",
        creator_id=creator.id,
        currency="KES",
        type="Private",
        investment_type="Fixed Interest",
        investment_category="Real Estate",
        payout_frequency="Monthly",
        total_supply=Decimal("1000.5"),
        offered=Decimal("400.25"),
        price_buy=Decimal("90.02"),
        price_sell=Decimal("89.5"),
        price_exchange=Decimal("129.12345678"),
        raise_amount=Decimal("36030.51"),
        min_buy=Decimal(80),
        max_buy=Decimal(100),
        min_sell=Decimal(81),
        max_sell=Decimal(101),
        min_trade_buy=Decimal(10),
        min_trade_sell=Decimal(11),
        max_trade_buy=Decimal(5000),
        max_trade_sell=Decimal(5001),
        buy_fee=Decimal("1.5"),
        sell_fee=Decimal("1.25"),
        carry=Decimal(20),
        management_fee=Decimal(2),
        discount=Decimal("0.1"),
        interest=Decimal("17.5"),
        dividend=Decimal(5),
        tenor=360,
        valuation=Decimal(10**9),
        post_raise_valuation=Decimal(2 * 10**9),
        esop_token=True,
    )
    with as_owner() as cursor:
        # As a function counts it; the service may not.
        cursor.execute(
            "UPDATE exchange_token SET total_raised = 9007.6275 WHERE id = %s", [token.pk]
        )
    token.refresh_from_db()
    caller = make_caller(["tokens:read"])
    response = caller.get(ONE.format(token.id))
    assert response.status_code == 200
    body = exact_json(response)
    assert list(body) == ["status", "message", "data"]
    assert (body["status"], body["message"]) == ("success", "Token retrieved")
    data = body["data"]
    assert list(data) == FIELDS
    assert data == {
        "_id": str(token.id),
        "name": 'Lekki "Gardens" \\ Phase 2',
        "symbol": "LKG2",
        "reference": token.reference,
        "image": "https://images.example.com/lkg2.png",
        "currency": "KES",
        "creator": str(creator.id),
        "asset": str(token.id),
        "request": "REQ-7",
        "price": {
            "buy": Decimal("90.02"),
            "sell": Decimal("89.5"),
            "exchange": Decimal("129.12345678"),
        },
        "prev_price": {
            "buy": Decimal("90.02"),
            "sell": Decimal("89.5"),
            "exchange": Decimal("129.12345678"),
        },
        "min": {"buy": 80, "sell": 81},
        "max": {"buy": 100, "sell": 101},
        "vol": {"buy": 0, "sell": 0},
        "min_trade": {"buy": 10, "sell": 11},
        "max_trade": {"buy": 5000, "sell": 5001},
        "type": "Private",
        "deal_access": "Public",
        "investment_type": "Fixed Interest",
        "investment_category": "Real Estate",
        "payout_frequency": "Monthly",
        "raise_amount": Decimal("36030.51"),
        "buy_fee": Decimal("1.5"),
        "sell_fee": Decimal("1.25"),
        "carry": 20,
        "management_fee": 2,
        "valuation": 10**9,
        "discount": Decimal("0.1"),
        "interest": Decimal("17.5"),
        "dividend": 5,
        "tenor": 360,
        "secondaries": False,
        "completed_raise": False,
        "supply": 0,
        "total_supply": Decimal("1000.5"),
        "total_raised": Decimal("9007.6275"),
        "exited": False,
        "cancelled": False,
        "esop_token": True,
        "post_raise_valuation": 2 * 10**9,
        "milestone": "25",
        "total_allocated": 0,
        "createdAt": wire(token.created_at),
        "updatedAt": wire(token.updated_at),
    }
    assert b'"valuation":1000000000,' in response.content
    assert b'"price":{"buy":90.02,"sell":89.5,"exchange":129.12345678}' in response.content
    assert TOKEN.find_mismatches() == []


def test_lists_give_the_same_record_in_the_pages_envelope():
    token = make_token(symbol="ONE")
    caller = make_caller(["tokens:read"])
    single = caller.get(ONE.format(token.id)).json()["data"]
    for path in (LIST, SEARCH, f"{SEARCH}?symbol=one"):
        body = caller.get(path).json()
        assert list(body) == ["status", "message", "data"]
        assert (body["status"], body["message"]) == ("success", "Tokens retrieved")
        assert list(body["data"]) == ["page", "pages", "count", "total", "tokens"]
        assert body["data"] == {"page": 1, "pages": 1, "count": 1, "total": 1, "tokens": [single]}


def test_an_empty_catalogue_is_a_page_without_tokens():
    caller = make_caller(["tokens:read"])
    empty = {"page": 1, "pages": 0, "count": 0, "total": 0, "tokens": []}
    for path in (LIST, SEARCH, f"{SEARCH}?name=x"):
        for _ in range(2):
            assert caller.get(path).json()["data"] == empty


def test_prices_and_volumes_show_as_they_are_at_once():
    token = make_token()
    caller = make_caller(["tokens:read"])
    for volume in (0, 5, 7):
        Token.objects.filter(id=token.id).update(vol_buy=volume)
        prices = Prices(Decimal(100 + volume), token.price_sell)
        set_effective_quote(token_id=token.id, prices=prices, note="")
        for path in (LIST, SEARCH):
            (shown,) = caller.get(path).json()["data"]["tokens"]
            assert shown["vol"]["buy"] == volume
            assert shown["price"]["buy"] == 100 + volume


@pytest.mark.parametrize("state", ["closed", "exited", "cancelled"])
def test_a_single_token_is_found_in_any_state(state):
    token = make_token(None, **{state: True})
    data = make_caller().get(ONE.format(token.id)).json()["data"]
    assert data.get(state, True) is True


@pytest.mark.parametrize(
    "unknown",
    [
        "01890000-0000-7000-8000-000000000001",
        "x",
        "Search",
        "01890000000070008000000000000001",
        "{01890000-0000-7000-8000-000000000001}",
        "01890000-0000-7000-8000-00000000000g",
        "%00",
        "9" * 5000,
        "٣",
        "' OR 1=1 --",
    ],
)
def test_what_is_no_token_is_not_found(unknown):
    make_token()
    caller = make_caller(["tokens:read"])
    assert_error(caller.get(ONE.format(unknown)), 404, "token_not_found", "Token not found")


@pytest.mark.parametrize("path", [LIST, SEARCH, ONE.format("x")])
def test_reading_tokens_needs_its_scope_and_a_key_that_works(path):
    caller = make_caller(["orders:read", "members:read"])
    assert_error(caller.get(path), 403, "insufficient_scope", "This needs the scope tokens:read")
    assert_error(caller.client.get(path), 401, "unauthenticated")
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        refused = make_caller().call(method, path)
        assert_error(refused, 405, "method_not_allowed")
        assert refused["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", [LIST, SEARCH])
def test_a_revoked_key_gets_nothing_more_however_often_it_asked_before(path):
    make_token()
    caller, other = make_caller(["tokens:read"]), make_caller(["tokens:read"])
    for _ in range(3):
        assert caller.get(path).status_code == 200
    revoke_api_key(key_id=caller.key.id, actor=TESTER)
    assert_error(caller.get(path), 401, "invalid_token")
    assert other.get(path).json()["data"]["total"] == 1


def test_a_head_request_is_answered_like_a_get_without_a_body():
    make_token()
    caller = make_caller(["tokens:read"])
    response = caller.call("HEAD", LIST)
    assert (response.status_code, response.content) == (200, b"")
