"""Holdings of members and of the organisation: exact records, pages, strangers."""

import json
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from exchange.tokens.models import DealAccess, Token
from tests.factories.api_clients import TESTER, assert_error, make_caller, make_member
from tests.factories.lifecycle import set_flags
from tests.factories.market import ApiTrader, Market
from tests.factories.tokens import give_units, make_token
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.withdrawals import exact_json, round_trips
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account

pytestmark = pytest.mark.django_db

HOLDING = [
    *("token", "name", "symbol", "currency", "balance", "lien", "available", "reserved"),
    *("next_record_at", "next_payment_date"),
]


def path_of(trader: ApiTrader, *, member: bool) -> str:
    return f"/v1/api/members/{trader.member.id}/tokens" if member else "/v1/api/wallet/tokens"


def pledge(token: Token, trader: ApiTrader, units: str, *, member: bool) -> None:
    """Moves units from available to lien, as a loan does."""
    owner: dict[str, Any] = {
        "organisation_id": trader.organisation.id,
        "member_id": trader.member.id if member else None,
    }
    post_unjustified(
        kind=TransferKind.UNITS_ISSUE,
        reference=f"pledge:{uuid7()}",
        subject_id=token.id,
        actor=TESTER,
        legs=[
            Leg(open_account(str(token.id), AccountKind.AVAILABLE, **owner), -Decimal(units)),
            Leg(open_account(str(token.id), AccountKind.LIEN, **owner), Decimal(units)),
        ],
    )


@pytest.mark.parametrize("member", [True, False])
def test_a_holding_is_answered_with_exactly_this_text(member):
    market = Market(name='Lagos "Free" Zone', symbol="LFZ")
    trader = market.seller
    user = {"user_id": str(trader.member.id)} if member else {}
    trader.place(market.token, type="Sell", tokens=12.5, price=120, **user)
    pledge(market.token, trader, "30.00000001", member=member)
    response = trader.caller.get(path_of(trader, member=member))
    assert response.status_code == 200
    assert response.content.decode() == (
        '{"status":"success","message":"Holdings retrieved","data":{"page":1,"pages":1,"count":1,'
        f'"total":1,"tokens":[{{"token":"{market.token.id}","name":"Lagos \\"Free\\" Zone",'
        '"symbol":"LFZ","currency":"NGN","balance":69.99999999,"lien":30.00000001,'
        '"available":57.49999999,"reserved":12.5,"next_record_at":null,'
        '"next_payment_date":null}]}}'
    )


@pytest.mark.parametrize("member", [True, False])
def test_who_has_nothing_has_an_empty_list(member):
    trader = ApiTrader().fund(100, member=member)
    data = trader.caller.get(path_of(trader, member=member)).json()["data"]
    assert data == {"page": 1, "pages": 0, "count": 0, "total": 0, "tokens": []}


def test_a_token_of_which_nothing_is_left_is_not_shown():
    market = Market()
    market.sell(tokens=100)
    market.buy(tokens=100)
    data = market.seller.caller.get(path_of(market.seller, member=False)).json()["data"]
    assert (data["total"], data["tokens"]) == (0, [])
    (held,) = exact_json(market.buyer.caller.get(path_of(market.buyer, member=False)))["data"][
        "tokens"
    ]
    assert (held["balance"], held["available"]) == (100, 100)


@pytest.mark.parametrize("kind", ["reserved", "lien"])
def test_units_that_are_all_reserved_or_under_lien_are_shown(kind):
    market = Market()
    if kind == "reserved":
        market.sell(tokens=100)
    else:
        pledge(market.token, market.seller, "100", member=False)
    (held,) = exact_json(market.seller.caller.get(path_of(market.seller, member=False)))["data"][
        "tokens"
    ]
    assert list(held) == HOLDING
    assert held["available"] == 0
    assert held[kind] == 100
    assert held["balance"] == (100 if kind == "reserved" else 0)


def test_units_that_a_raise_has_not_sold_are_nobodys_holding():
    issuer = ApiTrader()
    market = Market(issuer=issuer.organisation, raise_amount=Decimal(50_000))
    assert issuer.caller.get(path_of(issuer, member=False)).json()["data"]["total"] == 0
    market.buy(tokens=3)
    (held,) = exact_json(market.buyer.caller.get(path_of(market.buyer, member=False)))["data"][
        "tokens"
    ]
    assert held["balance"] == 3


def test_units_of_a_token_one_may_not_see_any_more_or_that_ended_stay_ones_own():
    market = Market()
    Token.objects.update(deal_access=DealAccess.PRIVATE)
    set_flags(market.token, closed=True, exited=True)
    data = market.seller.caller.get(path_of(market.seller, member=True)).json()["data"]
    assert data["total"] == 1


def test_holdings_are_sorted_by_name_and_paged():
    trader = ApiTrader()
    for name, symbol in (("Cocoa", "AA"), ("Agave", "CC"), ("Barley", "BB"), ("Agave", "DD")):
        give_units(make_token(name=name, symbol=symbol), trader.wallet(member=True), 1)

    def symbols(**query: Any) -> list[str]:
        data = trader.caller.get(path_of(trader, member=True), query).json()["data"]
        assert list(data) == ["page", "pages", "count", "total", "tokens"]
        assert data["total"] == 4
        return [held["symbol"] for held in data["tokens"]]

    assert symbols() == ["CC", "DD", "BB", "AA"]
    assert symbols(sort="-name") == ["AA", "BB", "DD", "CC"]
    assert symbols(sort="symbol") == ["AA", "BB", "CC", "DD"]
    assert symbols(sort="-symbol", limit=3) == ["DD", "CC", "BB"]
    assert symbols(sort="-symbol", limit=3, page=2) == ["AA"]
    assert symbols(page=9) == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"sort": "balance"}, "sort must be one of [name, symbol], with - in front for descending"),
        ({"page": "0"}, "page must be a whole number from 1"),
    ],
)
def test_a_bad_parameter_of_holdings_is_refused(query, message):
    trader = ApiTrader()
    for member in (True, False):
        response = trader.caller.get(path_of(trader, member=member), query)
        assert_error(response, 400, "invalid_request", message)


@pytest.mark.parametrize("member", ["unknown", "foreign", "%00", "me"])
def test_the_holdings_of_a_stranger_do_not_exist(member):
    found = {"unknown": uuid7(), "foreign": make_member(make_caller().organisation).id}
    response = make_caller().get(f"/v1/api/members/{found.get(member, member)}/tokens")
    assert_error(response, 404, "user_not_found", "User not found")


@pytest.mark.parametrize("member", [True, False])
def test_holdings_need_the_scope_to_read_the_portfolio(member):
    owner = ApiTrader()
    caller = make_caller(["wallets:read", "tokens:read", "orders:read"], owner.organisation)
    response = caller.get(path_of(owner, member=member))
    assert_error(response, 403, "insufficient_scope", "This needs the scope portfolio:read")


@pytest.mark.parametrize(("member", "expected"), [(True, 4), (False, 3)])
def test_the_round_trips_do_not_grow_with_the_holdings(tmp_path, member, expected):
    trader = ApiTrader()
    for _ in range(3):
        give_units(make_token(), trader.wallet(member=member), 1)
        for _ in range(2):
            with round_trips(tmp_path) as answers:
                response = trader.caller.get(path_of(trader, member=member))
        assert len(answers) == expected
    assert json.loads(response.content)["data"]["count"] == 3
