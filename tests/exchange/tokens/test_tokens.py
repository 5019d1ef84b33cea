"""The catalogue below HTTP: documents, search words, versions, and database round trips.
asked.
"""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import CharField

from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidRequest
from exchange.core.ids import uuid7
from exchange.core.lru import LruCache
from exchange.tokens.filters import ActiveTokenFilters, TokenSearchFilters
from exchange.tokens.models import Catalogue, Token
from exchange.tokens.payloads import TOKEN
from exchange.tokens.selectors import catalogue
from exchange.tokens.selectors.catalogue import catalogue_page, to_catalogue_query
from exchange.tokens.services.tokens import grant_access
from orders.listings.models import TokenAction
from tests.environment.concurrency import Callers
from tests.environment.owner import as_owner
from tests.factories.api_clients import make_caller, make_organisation
from tests.factories.lifecycle import approve_only
from tests.factories.tokens import bare_token, fill_tokens, make_token
from tests.factories.withdrawals import round_trips

pytestmark = pytest.mark.urls("tests.environment.api_urls")

LIST = "/v1/api/tokens"
SEARCH = "/v1/api/token/search"

# Changes that do not affect lists, and those that do.
IRRELEVANT: list[dict[str, Any]] = [
    {"prev_price_buy": 5},
    {"vol_sell": 5, "supply": 1},
    {"total_raised": 7},
    {"image": "https://images.example.com/1.png"},
]
RELEVANT: list[dict[str, Any]] = [
    {"name": "New"},
    {"symbol": "NEW"},
    {"type": "Private"},
    {"deal_access": "Private"},
    {"investment_type": "Debt"},
    {"investment_category": "Art"},
    {"secondaries": False},
    {"closed": True},
    {"exited": True},
    {"cancelled": True},
]


def version() -> int:
    return Catalogue.objects.get().version


def query(sort: str = "-created_at", **search: str):
    found = TokenSearchFilters(search, queryset=Token.objects.all())
    assert found.is_valid()
    return to_catalogue_query(found.qs.order_by(sort))


@pytest.mark.django_db
def test_stored_documents_equal_the_mapping_after_any_write():
    make_token()
    token = make_token(raise_amount=Decimal(5000), offered=Decimal(50), closed=True)
    fill_tokens(1, 300)
    Token.objects.filter(id=token.id).update(vol_buy=Decimal("1.50000000"))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE exchange_token SET document = 'x', supply = 0 WHERE reference % 2 = 0"
        )
    assert TOKEN.find_mismatches() == []


@pytest.mark.django_db
def test_only_changes_that_affect_lists_raise_the_version():
    owner = make_organisation()
    token = make_token(owner)
    row = Token.objects.filter(id=token.id)
    for values in IRRELEVANT:
        before = version()
        with as_owner():  # the service does not write them all
            row.update(**values)
        assert version() == before
    approve_only(token, TokenAction.EXIT)
    approve_only(token, TokenAction.CANCEL)
    for values in RELEVANT:
        before = version()
        with as_owner():
            row.update(**values)
        assert version() > before
    before = version()
    Token.objects.bulk_create([bare_token(owner)])
    between = version()
    grant_access(token_id=token.id, organisation_id=make_organisation().id)
    assert version() > between > before


@pytest.mark.django_db
def test_no_version_is_reused_after_a_rollback():
    """The cache of a rolled back state is not valid for another state."""
    row = Token.objects.filter(id=make_token().id)
    versions = {version()}
    for number in range(4):
        with transaction.atomic():
            row.update(name=f"Name {number}")
            versions.add(version())
            transaction.set_rollback(True)
    row.update(name="New")
    assert len(versions | {version()}) == 6


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Green", "'green':*"),
        ("green  ENERGY", "'energy':* & 'green':*"),
        ("O'Neil & Sons | !x", "'neil':* & 'o':* & 'sons':* & 'x':*"),
        ("a_b-c.d", "'a':* & 'b':* & 'c':* & 'd':*"),
        ("'':*", None),
        ("\\", None),
        ("", None),
    ],
)
def test_the_words_of_a_text_become_a_prefix_query(text, query):
    with connection.cursor() as cursor:
        cursor.execute("SELECT name_words(%s)::text", [text])
        assert cursor.fetchone() == (query,)


@pytest.mark.django_db
def test_the_search_words_of_a_token_are_those_of_its_name():
    token = make_token(name="Green-Energy Fund")
    assert token_words(token) == "'energy':2 'fund':3 'green':1"
    for change in ({"words": "'gold':1"}, {"vol_buy": 5}, {"name": "Green-Energy Fund"}):
        Token.objects.filter(id=token.id).update(**change)
        assert token_words(token) == "'energy':2 'fund':3 'green':1"
    token.refresh_from_db()
    token.name = "Blue Bond"
    token.save()
    assert token_words(token) == "'blue':1 'bond':2"


def token_words(token):
    return Token.objects.values_list("words", flat=True).get(id=token.id)


@pytest.mark.django_db(transaction=True)
def test_a_change_costs_one_extra_round_trip(tmp_path):
    caller = make_caller(["tokens:read"])
    token = make_token()
    for _ in range(3):
        caller.get(LIST)
    Token.objects.filter(id=token.id).update(name="Another")
    counts = []
    for _ in range(3):
        with round_trips(tmp_path) as responses:
            caller.get(LIST)
        counts.append(len(responses))
    assert counts == [3, 2, 2]


@pytest.mark.django_db
def test_organisations_without_private_deals_share_the_cache(tmp_path):
    make_token()
    asked = query()
    first, second = make_organisation().id, make_organisation().id
    catalogue_page(asked, first, offset=0, limit=20)
    cache = catalogue._caches["default"]
    with round_trips(tmp_path) as responses:
        catalogue_page(asked, second, offset=0, limit=20)
    assert catalogue._caches["default"] is cache
    # Its audience and the page; neither total nor ids.
    assert len(responses) <= 4
    assert cache.totals.get((asked, None)) == 1
    assert cache.totals.get((asked, second)) is None


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_after_a_change_get_the_same_page():
    owner = make_organisation()
    Token.objects.bulk_create(bare_token(owner, name=f"Deal {n}") for n in range(50))
    asked = [query(), query(name="deal"), query("name")]
    organisations = [make_organisation().id for _ in range(4)]
    rows = Token.objects.order_by("created_at", "id")
    with Callers(8) as callers:
        for hidden in range(1, 6):
            last = rows[50 - hidden]
            Token.objects.filter(id=last.id).update(deal_access="Private", name="Deal")
            pages = callers.at_once(
                [
                    partial(catalogue_page, asked[n % 3], organisations[n % 4], offset=0, limit=20)
                    for n in range(8)
                ]
            )
            assert [(page.total, page.count) for page in pages] == [(50 - hidden, 20)] * 8
            assert all(str(last.id) not in page.text for page in pages)


@pytest.mark.django_db
def test_a_query_is_the_condition_of_its_filters_without_their_values():
    found = ActiveTokenFilters(
        {"currency": "kes", "private": "1"}, queryset=Token.objects.filter(cancelled=False)
    )
    assert found.is_valid()
    asked = to_catalogue_query(found.qs.order_by("name", "id"))
    assert "KES" not in asked.where
    assert set(asked.parameters) == {"KES", "Private"}
    assert (asked.column, asked.descending) == ("name", False)
    nothing = to_catalogue_query(Token.objects.none().order_by("-created_at"))
    assert catalogue_page(nothing, uuid7(), offset=0, limit=20).total == 0


def test_the_least_recently_used_entry_is_evicted_first():
    kept: LruCache[str, int] = LruCache(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)
    kept.put("a", 4)
    kept.put("d", 5)
    assert (kept.get("a"), kept.get("c"), kept.get("d")) == (4, None, 5)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"min_buy": 5, "max_buy": 4}, "token_bounds_in_order"),
        ({"min_trade_sell": 5, "max_trade_sell": 4}, "token_bounds_in_order"),
        ({"min_sell": -1}, "token_bounds_in_order"),
        ({"interest": Decimal("100.1")}, "token_percent_within_100"),
        ({"carry": -1}, "token_percent_within_100"),
        ({"valuation": -1}, "token_amounts_not_negative"),
        ({"price_sell": -1}, "token_amounts_not_negative"),
        ({"image": "javascript:alert(1)"}, "token_image_is_an_address"),
        ({"image": "//evil.example/x.png"}, "token_image_is_an_address"),
        ({"image": "/\\evil.example/x.png"}, "token_image_is_an_address"),
        ({"image": 'https://a.example/"onerror="x'}, "token_image_is_an_address"),
        ({"type": "Secret"}, "token_words_known"),
        ({"investment_category": "Horses"}, "token_words_known"),
        ({"vol_buy": -1}, "token_totals_not_negative"),
        ({"total_raised": Decimal("-0.01")}, "token_totals_not_negative"),
        ({"supply": -1}, "token_supply_within_total"),
        ({"total_supply": 0, "supply": 1}, "token_supply_within_total"),
    ],
)
def test_the_database_rejects_terms_that_services_reject(values, constraint):
    token = make_token()
    with pytest.raises(IntegrityError) as refused, as_owner():
        Token.objects.filter(id=token.id).update(**values)
    assert violated_constraint(refused.value) == constraint
    token.refresh_from_db()
    assert "javascript" not in token.document


@pytest.mark.django_db
def test_no_token_is_listed_with_a_sell_price_above_the_buy_price():
    token = bare_token(make_organisation(), price_buy=Decimal(5), price_sell=Decimal("5.01"))
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        token.save(force_insert=True)
    assert violated_constraint(refused.value) == "token_sell_not_above_buy"
    assert not Token.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    ["type", "deal_access", "investment_type", "investment_category", "payout_frequency"],
)
def test_the_database_accepts_every_choice_that_services_accept(name):
    token = make_token(raise_amount=Decimal(100))
    field = Token._meta.get_field(name)
    assert isinstance(field, CharField)
    words = [word for word, _ in field.flatchoices]
    for word in words:
        assert Token.objects.filter(id=token.id).update(**{name: word}) == 1
    assert len(words) >= 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"min_buy": 120, "max_buy": 100}, "min_buy must not be above max_buy"),
        ({"min_trade_sell": 2, "max_trade_sell": 1}, "min_trade_sell must not be above max_trade_"),
        ({"dividend": Decimal("100.5")}, "dividend must be from 0 to 100"),
        ({"buy_fee": Decimal("50.5")}, "buy_fee must be from 0 to 50"),
        ({"carry": Decimal("1.00001")}, "carry must not have more than 4 decimals"),
        ({"max_sell": Decimal("1.001")}, "max_sell must not have more than 2 decimals"),
        ({"image": "//evil.example/x.png"}, "image must be a web address"),
        ({"image": "https://"}, "image must be a web address"),
    ],
)
def test_a_listing_with_invalid_terms_is_rejected_by_field(values, message):
    terms: dict[str, Any] = {
        name: Decimal(v) if isinstance(v, int) else v for name, v in values.items()
    }
    with pytest.raises(InvalidRequest) as refused:
        make_token(**terms)
    assert message in str(refused.value)
    assert not Token.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "image", ["", "/static/tokens/A.svg", "https://images.example.com/a%20b.png?x=1", "HTTP://a.b"]
)
def test_images_are_urls_or_paths(image):
    assert make_token(image=image).image == image
