"""A member's investments: exact records and figures, filters, strangers, and what it costs."""

import json
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.ids import uuid7
from exchange.tokens.models import DealAccess, Token
from tests.assertions.openapi import allowed_values, data_properties, document
from tests.factories.api_clients import TESTER, assert_error, make_caller, make_member
from tests.factories.market import ApiTrader
from tests.factories.tokens import give_units, make_token
from tests.factories.unjustified_transfers import post_unjustified
from tests.factories.wallets import assert_books_hold
from tests.factories.withdrawals import exact_json, round_trips
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, open_account

# Placing an order may be refused, and then rolls back.
pytestmark = pytest.mark.django_db(transaction=True)

PORTFOLIO = "/v1/api/credit/user/portfolio/"
INVESTMENT = [
    "tokenId",
    "balance",
    "lien",
    "balance_value",
    "lien_value",
    "currency",
    "investment_type",
    "investment_category",
    "name",
    "symbol",
    "image",
    "price",
    "raise_amount",
    "interest",
]
TYPES = "[the service, SAFE, Debt, Fixed Interest]"
CATEGORIES = (
    "[ETF, Bond, Commercial Paper, Debt Note, Real Estate, Private Business, Startup, Commodities, "
    "Fund, Art, Music, Movie, Charity]"
)


class Investor(ApiTrader):
    """A member with units, and the calls that show them."""

    def holds(self, units: str | int, **listing: Any) -> Token:
        """A new token of somebody else's of which the member has `units`."""
        token = make_token(**listing)
        give_units(token, self.wallet(member=True), units)
        return token

    def pledge(self, token: Token, units: str | int) -> None:
        """Moves units of the member under lien, as a loan does."""
        owner = {"organisation_id": self.organisation.id, "member_id": self.member.id}
        available = open_account(str(token.id), AccountKind.AVAILABLE, **owner)
        lien = open_account(str(token.id), AccountKind.LIEN, **owner)
        post_unjustified(
            kind=TransferKind.LOAN_PLEDGE,
            reference=f"pledge:{uuid7()}",
            subject_id=None,
            actor=TESTER,
            legs=[Leg(available, -Decimal(units)), Leg(lien, Decimal(units))],
        )

    def ask(self, body: Any = None) -> Any:
        return self.caller.post(f"{PORTFOLIO}{self.member.id}", body)

    def portfolio(self, **filters: Any) -> list[dict[str, Any]]:
        """The investments, their numbers as Decimals."""
        response = self.ask(filters)
        assert response.status_code == 200, response.content
        found: list[dict[str, Any]] = exact_json(response)["data"]
        return found

    def named(self, **filters: Any) -> list[str]:
        return [investment["symbol"] for investment in self.portfolio(**filters)]


@pytest.fixture
def investor() -> Investor:
    return Investor()


def test_an_investment_is_exactly_the_interfaces_record(investor):
    token = investor.holds(
        "12.34567891",
        name='Lekki "Gardens" Ñotes',
        symbol="LGN27",
        image="https://images.example.com/lgn27.png",
        investment_type="Fixed Interest",
        investment_category="Real Estate",
        price_buy=Decimal("108.40"),
        price_sell=Decimal("106.25"),
        price_exchange=Decimal("1530.12345678"),
        raise_amount=Decimal(500000),
        offered=Decimal(900),
        interest=Decimal("14.5"),
    )
    investor.pledge(token, "2.3")
    response = investor.ask()
    assert response.status_code == 200
    # 10.04567891 x 106.25 = 1067.3533841875, 2.3 x 106.25 = 244.375 (to even: 244.38)
    assert response.content.decode() == (
        '{"status":"success","message":"Investments retrieved","data":[{'
        f'"tokenId":"{token.id}","balance":10.04567891,"lien":2.3,'
        '"balance_value":1067.35,"lien_value":244.38,"currency":"NGN",'
        '"investment_type":"Fixed Interest","investment_category":"Real Estate",'
        '"name":"Lekki \\"Gardens\\" Ñotes","symbol":"LGN27",'
        '"image":"https://images.example.com/lgn27.png",'
        '"price":{"buy":108.4,"sell":106.25,"exchange":1530.12345678},'
        '"raise_amount":500000,"interest":14.5}]}'
    )
    assert list(json.loads(response.content)["data"][0]) == INVESTMENT


@pytest.mark.parametrize(
    ("currency", "price", "units", "value"),
    [
        ("NGN", "100", "0.00000001", "0"),
        ("NGN", "999999999.99", "999.99999999", "999999999980.00"),
        ("KES", "0.05", "0.5", "0.02"),
        ("KES", "0.05", "1.5", "0.08"),
        ("KES", "0.05", "0.50000001", "0.03"),
        ("UGX", "5", "0.5", "2"),
        ("UGX", "7", "0.5", "4"),
        ("UGX", "7", "0.49999999", "3"),
    ],
)
def test_a_value_is_units_times_price_sell_rounded_half_even(
    investor, currency, price, units, value
):
    token = investor.holds(
        Decimal(units) * 2,
        currency=currency,
        total_supply=Decimal(5000),
        price_sell=Decimal(price),
    )
    investor.pledge(token, units)
    (found,) = investor.portfolio()
    assert (found["balance"], found["lien"]) == (Decimal(units), Decimal(units))
    assert (found["balance_value"], found["lien_value"]) == (Decimal(value), Decimal(value))


def test_what_open_orders_reserve_is_part_of_the_balance_and_liens_are_not(investor):
    token = investor.holds(100)
    investor.place(token, type="Sell", tokens=40, user_id=str(investor.member.id))
    investor.pledge(token, 25)
    (found,) = investor.portfolio()
    assert (found["balance"], found["lien"]) == (75, 25)
    assert investor.held(token, "available", member=True) == 35
    assert investor.held(token, "reserved", member=True) == 40


def test_a_holding_that_is_all_reserved_or_all_under_lien_is_shown_and_one_of_nothing_is_not(
    investor,
):
    reserved, pledged, sold = (investor.holds(10, name=name) for name in ("A", "B", "C"))
    investor.place(reserved, type="Sell", tokens=10, user_id=str(investor.member.id))
    investor.pledge(pledged, 10)
    buyer = ApiTrader().fund(10_000)
    investor.place(sold, type="Sell", tokens=10, user_id=str(investor.member.id))
    buyer.place(sold, type="Buy", tokens=10)
    found = investor.portfolio()
    assert [(row["symbol"], row["balance"], row["lien"]) for row in found] == [
        (reserved.symbol, 10, 0),
        (pledged.symbol, 0, 10),
    ]


def test_what_a_member_holds_is_shown_whatever_became_of_its_token(investor):
    states: list[dict[str, Any]] = [
        {"name": "A", "deal_access": DealAccess.PRIVATE, "type": "Private"},
        {"name": "B", "exited": True},
        {"name": "C", "closed": True},
        {"name": "D", "cancelled": True},
    ]
    tokens = [investor.holds(1, **state) for state in states]
    hidden = investor.caller.get(f"/v1/orders/token/{tokens[0].id}")
    assert_error(hidden, 404, "token_not_found")
    assert investor.named() == [token.symbol for token in tokens]


def test_only_the_members_own_units_of_tokens_are_its_investments(investor):
    token = investor.holds(3)
    give_units(token, investor.wallet(), 5)
    other = make_member(investor.organisation)
    investor.wallet(member=True).fund(1000, "NGN").fund(5, "USD")
    (found,) = investor.portfolio()
    assert (found["tokenId"], found["balance"]) == (str(token.id), 3)
    assert exact_json(investor.caller.post(f"{PORTFOLIO}{other.id}"))["data"] == []


def test_units_that_a_raise_has_not_sold_are_nobodys_investment(investor):
    make_token(investor.organisation, raise_amount=Decimal(1000))
    assert investor.portfolio() == []


def test_investments_come_by_name_and_of_one_name_by_id(investor):
    tokens = [investor.holds(1, name=name) for name in ("Beta", "Alpha", "Beta", "Alpha Two")]
    expected = sorted(tokens, key=lambda token: (token.name, str(token.id)))
    assert investor.named() == [token.symbol for token in expected]
    assert investor.named() == investor.named()


def test_filters_narrow_in_any_case_and_together(investor):
    a = investor.holds(1, name="A", investment_type="the service", investment_category="Startup")
    b = investor.holds(1, name="B", investment_type="SAFE", currency="KES")
    c = investor.holds(1, name="C", investment_type="Fixed Interest", investment_category="ETF")
    d = investor.holds(1, name="D", investment_type="Debt", currency="USD")
    e = investor.holds(1, name="E", investment_type="Debt", currency="GHS")
    cases: list[tuple[dict[str, Any], list[Token]]] = [
        ({}, [a, b, c, d, e]),
        ({"investment_types": [], "investment_categories": [], "currencies": []}, [a, b, c, d, e]),
        ({"investment_types": ["Debt"]}, [d, e]),
        ({"investment_types": ["the service", "SAFE", "Debt", "Fixed Interest"]}, [a, b, c, d, e]),
        ({"investment_types": ["THE SERVICE", "safe", "fixed interest"]}, [a, b, c]),
        ({"investment_categories": ["startup", "Etf"]}, [a, c]),
        ({"investment_categories": ["Private Business"]}, [b, d, e]),
        ({"investment_categories": ["Charity"]}, []),
        ({"currencies": ["NGN"]}, [a, c]),
        ({"currencies": ["kes", "usd"]}, [b, d]),
        ({"currencies": ["NGN", "USD", "KES"]}, [a, b, c, d]),
        ({"investment_types": ["Debt"], "currencies": ["USD"]}, [d]),
        ({"investment_types": ["SAFE"], "currencies": ["NGN"]}, []),
        (
            {
                "investment_types": ["the service", "Debt"],
                "investment_categories": ["Startup"],
                "currencies": [],
                "limit": "unknown fields are ignored",
            },
            [a],
        ),
    ]
    for filters, expected in cases:
        assert investor.named(**filters) == [token.symbol for token in expected], filters


@pytest.mark.parametrize(
    ("body", "content_type"),
    [("", "application/json"), ("", "text/plain"), ("", ""), ("{}", "application/json")],
)
def test_the_body_may_be_left_out(investor, body, content_type):
    token = investor.holds(1)
    response = investor.caller.client.generic(
        "POST",
        f"{PORTFOLIO}{investor.member.id}",
        body,
        content_type=content_type,
        headers=investor.caller.headers,
    )
    assert response.status_code == 200, response.content
    assert [row["tokenId"] for row in response.json()["data"]] == [str(token.id)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"investment_types": "Debt"}, "investment_types must be an array"),
        ({"investment_types": {"0": "Debt"}}, "investment_types must be an array"),
        ({"investment_types": ["Loan"]}, f"investment_types item 1: must be one of {TYPES}"),
        ({"investment_types": ["Debt "]}, f"investment_types item 1: must be one of {TYPES}"),
        ({"investment_types": ["Debt", None]}, f"investment_types item 2: must be one of {TYPES}"),
        ({"investment_types": [["Debt"]]}, f"investment_types item 1: must be one of {TYPES}"),
        ({"investment_types": ["Debt", "debt"]}, "investment_types must not name Debt twice"),
        ({"investment_types": ["Debt"] * 5}, "investment_types must have at most 4 items"),
        (
            {"investment_categories": [7]},
            f"investment_categories item 1: must be one of {CATEGORIES}",
        ),
        ({"investment_categories": True}, "investment_categories must be an array"),
        (
            {"investment_categories": ["ETF"] * 14},
            "investment_categories must have at most 13 items",
        ),
        ({"currencies": ["ngn", "NGN", "Ngn"]}, "currencies must not name NGN twice"),
        (
            {"investment_types": 1, "investment_categories": 2, "currencies": "NGN"},
            "investment_types must be an array; investment_categories must be an array; "
            "currencies must be an array",
        ),
        ("[]", "The body must be a JSON object"),
        ("null", "The body must be a JSON object"),
    ],
)
def test_a_filter_that_is_not_one_is_refused_by_name(investor, body, message):
    assert_error(investor.ask(body), 400, "invalid_request", message)


def test_a_currency_that_is_none_is_refused_as_everywhere(investor):
    refusal = "Currency must be one of [NGN, USD, KES]"
    message = f"currencies item 2: {refusal}; currencies item 3: {refusal}"
    assert_error(investor.ask({"currencies": ["NGN", "EUR", ""]}), 400, "invalid_currency", message)


@pytest.mark.parametrize("member", ["unknown", "foreign", "own organisation", "%00", "me"])
def test_the_portfolio_of_a_stranger_does_not_exist(investor, member):
    stranger = Investor()
    stranger.holds(1)
    found = {
        "unknown": uuid7(),
        "foreign": stranger.member.id,
        "own organisation": investor.organisation.id,
    }
    response = investor.caller.post(f"{PORTFOLIO}{found.get(member, member)}")
    assert_error(response, 404, "user_not_found", "User not found")


def test_a_portfolio_needs_its_scope_and_is_posted(investor):
    other = make_caller(["credit:read", "members:read"], investor.organisation)
    response = other.post(f"{PORTFOLIO}{investor.member.id}")
    assert_error(response, 403, "insufficient_scope", "This needs the scope portfolio:read")
    response = investor.caller.get(f"{PORTFOLIO}{investor.member.id}")
    assert_error(response, 405, "method_not_allowed")
    assert response["Allow"] == "POST, OPTIONS"


def test_a_portfolio_takes_two_round_trips_to_the_database_and_changes_nothing(investor, tmp_path):
    tokens = [investor.holds(2) for _ in range(3)]
    investor.ask()
    with round_trips(tmp_path) as answers:
        assert len(investor.portfolio()) == 3
    assert len(answers) == 2, "the check of the key, and one statement"
    for token in tokens:
        investor.pledge(token, 1)
    filters = {"currencies": ["NGN"], "investment_types": ["the service"]}
    investor.ask(filters)
    with round_trips(tmp_path) as answers:
        assert len(investor.portfolio(**filters)) == 3
    assert len(answers) == 2


def test_the_books_hold_beside_a_portfolio(investor):
    token = investor.holds(10)
    investor.place(token, type="Sell", tokens=4, user_id=str(investor.member.id))
    assert investor.portfolio()[0]["balance"] == 10
    assert_books_hold()


def test_the_schema_tells_filters_record_and_failures():
    schema = document()
    operation = schema["paths"][f"{PORTFOLIO}{{member_id}}"]["post"]
    assert operation["tags"] == ["Investments"]
    assert operation["security"][0] == {"oauth2": ["portfolio:read"]}
    assert not operation["requestBody"].get("required")
    sent = schema["components"]["schemas"]["PortfolioInput"]
    assert "required" not in sent
    assert allowed_values(sent["properties"]["currencies"]["items"]) == ["NGN", "USD", "KES"]
    assert len(allowed_values(sent["properties"]["investment_types"]["items"])) == 4
    assert len(allowed_values(sent["properties"]["investment_categories"]["items"])) == 13
    declared = schema["components"]["schemas"]["Investment"]
    assert list(declared["properties"]) == INVESTMENT == declared["required"]
    data = data_properties("post", f"{PORTFOLIO}{{member_id}}")["data"]
    assert data["items"] == {"$ref": "#/components/schemas/Investment"}
    content = operation["responses"]["200"]["content"]["application/json"]
    assert list(content["examples"]["success"]["value"]["data"][0]) == INVESTMENT
    shown = operation["responses"]["404"]["content"]["application/json"]["examples"]
    assert shown["user_not_found"]["value"] == {"status": "failed", "message": "User not found"}
