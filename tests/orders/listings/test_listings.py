"""Listing tokens: accepted values, defaults, and the initial accounts of units."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from exchange.core.actors import Actor
from exchange.core.errors import Forbidden, InvalidRequest
from exchange.core.ids import uuid7
from exchange.participants.models import Organisation
from exchange.tokens.models import Token
from exchange.tokens.payloads import TOKEN
from orders.listings.services.listing import (
    Listing,
    SymbolsTaken,
    list_token,
    list_tokens,
    validate_listing,
)
from tests.assertions.unchanged import table_fingerprints
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.tokens import make_token
from tests.factories.wallets import assert_books_hold, make_staff
from wallets.ledger.models import Account

pytestmark = pytest.mark.django_db

PLAIN = Listing(
    name="Rift Valley Tea",
    symbol="RVT",
    currency="KES",
    investment_type="Debt",
    investment_category="Bond",
    total_supply=Decimal(1000),
    price_buy=Decimal(100),
    price_sell=Decimal(98),
)
NUMBERS = (
    *("price_exchange", "raise_amount", "min_buy", "min_sell", "max_buy", "max_sell"),
    *("min_trade_buy", "min_trade_sell", "max_trade_buy", "max_trade_sell", "buy_fee", "sell_fee"),
    *("carry", "management_fee", "discount", "interest", "dividend", "tenor", "valuation"),
    *("post_raise_valuation", "vol_buy", "vol_sell", "total_raised", "total_allocated"),
)


@pytest.fixture
def issuer() -> Organisation:
    return make_organisation("Kericho Estates")


def listing_with(**terms: Any) -> Listing:
    """Return a plain listing with other terms; whole numbers stand for amounts."""
    given: dict[str, Any] = {
        name: Decimal(value) if type(value) is int else value for name, value in terms.items()
    }
    return replace(PLAIN, **given)


def listed(issuer: Organisation, **terms: Any) -> Token:
    return list_token(issuer_id=issuer.id, listing=listing_with(**terms), actor=TESTER)


def accounts_of(issuer: Organisation) -> dict[tuple[str, str], Decimal | None]:
    """Return the issuer's balances by asset (a currency or `units`) and kind."""
    rows = Account.objects.filter(owner_id=issuer.id).select_related("asset")
    return {(row.asset.currency_id or "units", row.kind): row.balance for row in rows}


def test_a_listing_is_public_and_without_a_raise_by_default(issuer):
    token = listed(issuer)
    assert {name: getattr(token, name) for name in NUMBERS} == dict.fromkeys(NUMBERS, 0)
    assert (token.type, token.deal_access, token.creator_id) == ("Public", "Public", None)
    assert (token.payout_frequency, token.image, token.listing_reference) == ("", "", "")
    assert (token.completed_raise, token.secondaries, token.esop_token) == (True, False, False)
    assert (token.total_supply, token.supply) == (1000, 1000)
    assert (token.prev_price_buy, token.prev_price_sell) == (100, 98)
    assert token.quoted_at == token.created_at == token.updated_at
    assert accounts_of(issuer) == {("units", "available"): 1000}
    # As the database wrote it.
    assert token.document == Token.objects.get().document
    assert f'"reference":{token.reference},' in token.document
    assert TOKEN.find_mismatches() == []
    assert_books_hold()


RAISES: list[tuple[dict[str, Any], dict[tuple[str, str], int]]] = [
    ({"raise_amount": 1}, {("units", "unsold"): 1000}),
    ({"raise_amount": 1, "offered": 1}, {("units", "unsold"): 1, ("units", "available"): 999}),
    ({"raise_amount": Decimal("0.5"), "offered": 1000}, {("units", "unsold"): 1000}),
]


def test_offered_units_are_unsold_and_their_proceeds_have_an_account_of_their_own(issuer):
    for number, (terms, units) in enumerate(RAISES):
        owner = make_organisation()
        token = listed(owner, symbol=f"R{number}", **terms)
        assert (token.completed_raise, token.supply) == (False, 0), terms
        assert accounts_of(owner) == {("KES", "raise"): 0, **units}, terms
    # Without a raise nothing is on offer, whatever the listing says.
    assert listed(issuer, offered=0).completed_raise
    assert accounts_of(issuer) == {("units", "available"): 1000}
    assert_books_hold()


WRONG: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"price_buy": 1, "price_sell": 1, "total_supply": 1}, {}),
    (
        {"price_buy": 0, "price_sell": 0, "total_supply": 0},
        {name: f"{name} must be above 0" for name in ("total_supply", "price_buy", "price_sell")},
    ),
    ({"price_sell": 101}, {"price_sell": "price_sell must not be above price_buy"}),
    ({"price_sell": 101, "total_supply": 0}, {"total_supply": "total_supply must be above 0"}),
    (
        {"price_exchange": Decimal("0.000000001"), "offered": Decimal("1.000000001")},
        {
            "offered": "offered must not have more than 8 decimals",
            "price_exchange": "price_exchange must not have more than 8 decimals",
        },
    ),
    (
        {"raise_amount": Decimal("1.001")},
        {"raise_amount": "raise_amount must not have more than 2 decimals"},
    ),
    ({"raise_amount": -1}, {"raise_amount": "raise_amount must be from 0 to 1000000000000000"}),
    *(
        (
            {"raise_amount": 9, "offered": offered},
            {"offered": "offered must be above 0 and not above total_supply"},
        )
        for offered in (0, Decimal("1000.1"))
    ),
    (
        {"raise_amount": 9, "secondaries": True},
        {"secondaries": "secondaries opens after the raise"},
    ),
    ({"interest": 101}, {"interest": "interest must be from 0 to 100"}),
    # Words and the days of its tenor are as long, and one of those, that the table takes.
    ({"name": ""}, {"name": "name: This field cannot be blank."}),
    (
        {"symbol": "x" * 21},
        {"symbol": "symbol: Ensure this value has at most 20 characters (it has 21)."},
    ),
    ({"deal_access": "Few"}, {"deal_access": "deal_access: Value 'Few' is not a valid choice."}),
    ({"tenor": -1}, {"tenor": "tenor: Ensure this value is greater than or equal to 0."}),
    (
        {"currency": "EUR"},
        {"currency": "currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD]"},
    ),
]


def test_a_listing_that_cannot_be_is_refused_with_every_field_that_is_wrong(issuer):
    before = table_fingerprints()
    for terms, wrong in WRONG:
        listing = listing_with(**terms)
        assert validate_listing(issuer_id=issuer.id, listing=listing) == list(wrong.values()), terms
        if wrong:
            with pytest.raises(InvalidRequest) as refused:
                list_token(issuer_id=issuer.id, listing=listing, actor=TESTER)
            assert refused.value.fields == wrong, terms
            assert refused.value.message == "; ".join(wrong.values())
    assert table_fingerprints() == before


def test_a_creator_is_a_member_of_the_issuer(issuer):
    make_member(issuer)
    for other in (uuid7(), make_member(make_organisation()).id):
        with pytest.raises(InvalidRequest) as refused:
            listed(issuer, creator_id=other)
        assert refused.value.fields == {"creator": "creator must be a member of the issuer"}
    member = make_member(issuer)
    assert listed(issuer, creator_id=member.id).creator == member


def test_a_symbol_is_listed_once_and_those_in_use_are_named(issuer):
    for symbol in ("A", "B", "C"):
        make_token(issuer, symbol=symbol)
    before = table_fingerprints()
    for symbols, taken, message in (
        ("BD", "B", "A token with symbol B exists already"),
        ("BDA", "AB", "Tokens with symbol A, B exist already"),
        ("DED", "D", "A token with symbol D exists already"),
        ("DDC", "CD", "Tokens with symbol C, D exist already"),
    ):
        listings = [(issuer.id, replace(PLAIN, symbol=symbol)) for symbol in symbols]
        with pytest.raises(SymbolsTaken) as refused:
            list_tokens(listings=listings, actor=TESTER)
        assert (refused.value.message, refused.value.code) == (message, "symbol_taken")
        assert refused.value.symbols == set(taken)
    assert table_fingerprints() == before


def test_many_tokens_are_listed_at_once_each_with_its_units_and_reference(issuer):
    other = make_organisation()
    listings = [
        (issuer.id, replace(PLAIN, symbol="T1", total_supply=Decimal(10))),
        (other.id, replace(PLAIN, symbol="T2", total_supply=Decimal(20))),
        (issuer.id, replace(PLAIN, symbol="T3", raise_amount=Decimal(9), offered=Decimal(30))),
    ]
    tokens = list_tokens(listings=listings, actor=TESTER)
    assert [token.symbol for token in tokens] == ["T1", "T2", "T3"]
    kept = Token.objects.order_by("reference").values_list("symbol", "reference")
    assert [(token.symbol, token.reference) for token in tokens] == list(kept)
    found = Account.objects.filter(owner_id__isnull=False, asset__token__isnull=False)
    assert set(found.values_list("asset__token__symbol", "kind", "owner_id", "balance")) == {
        ("T1", "available", issuer.id, Decimal(10)),
        ("T2", "available", other.id, Decimal(20)),
        ("T3", "available", issuer.id, Decimal(970)),
        ("T3", "unsold", issuer.id, Decimal(30)),
    }
    assert_books_hold()


def test_a_person_lists_tokens_only_with_the_permission(issuer):
    for codename, allowed in (("change_token", False), ("add_token", True)):
        person = make_staff(codename)
        actor = Actor.staff(person.pk, str(person))
        if allowed:
            assert list_token(issuer_id=issuer.id, listing=PLAIN, actor=actor).symbol == "RVT"
            continue
        before = table_fingerprints()
        with pytest.raises(Forbidden, match=r"^You may not list tokens$"):
            list_token(issuer_id=issuer.id, listing=PLAIN, actor=actor)
        assert table_fingerprints() == before
