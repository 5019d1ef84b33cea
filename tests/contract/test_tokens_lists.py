"""Lists of tokens against the same done in plain Python: filters, pages, order, visibility, totals.

Between the requests of one test the tokens and grants change, so that whatever is remembered from
earlier requests would show.
"""

import contextlib
import math
import random
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import cycle, product
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from exchange.core.errors import Conflict, Rejected
from exchange.participants.models import Organisation
from exchange.tokens.models import InvestmentCategory, InvestmentType, Token, TokenAccess
from exchange.tokens.payloads import TOKEN
from exchange.tokens.services.tokens import grant_access
from tests.environment.owner import as_owner
from tests.environment.property_tests import examples
from tests.factories.api_clients import ApiCaller, make_caller, make_organisation
from tests.factories.lifecycle import set_flags
from tests.factories.tokens import bare_token, make_token

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.environment.api_urls")]

LIST = "/v1/api/tokens"
SEARCH = "/v1/api/token/search"
TYPES = list(InvestmentType.values)
CATEGORIES = list(InvestmentCategory.values)[:3]
WORDS = [
    "Green",
    "greenhouse",
    "Energy",
    "FUND",
    "Fundación",
    "Côte-d'Ivoire",
    "2030",
    "3d",
    "O'Neil",
]
QUERIES = [
    "green",
    "GREEN en",
    "fund",
    "fundación",
    "d ivoire",
    "cote",
    "2",
    "203",
    "eil",
    "o",
    "n'",
    "energy green",
]
START = datetime(2026, 1, 1, tzinfo=UTC)


def some_token(chance: random.Random, issuers: list[Organisation]) -> Token:
    """Any token, many of them listed in the same instant and under the same name."""
    completed = chance.random() < 0.7
    return bare_token(
        chance.choice(issuers),
        name=" ".join(chance.choices(WORDS, k=chance.randint(1, 3))),
        type=chance.choice(["Private", "Public"]),
        deal_access=chance.choice(["Private", "Public", "Public"]),
        investment_type=chance.choice(TYPES),
        investment_category=chance.choice(CATEGORIES),
        currency_id=chance.choice(["NGN", "KES"]),
        price_buy=Decimal(1),
        raise_amount=Decimal(1),
        completed_raise=completed,
        secondaries=completed and chance.random() < 0.7,
        closed=chance.random() < 0.2,
        exited=chance.random() < 0.2,
        cancelled=chance.random() < 0.2,
        created_at=START + timedelta(hours=chance.randrange(40)),
    )


def flag(text: str) -> bool:
    return text.lower() in ("true", "1")


def words_of(text: str) -> list[str]:
    marked = unicodedata.normalize("NFKD", text.lower())
    return re.findall(r"[^\W_]+", re.sub("[\u0300-\u036f]", "", marked))


def has_words(name: str, query: str) -> bool:
    return all(any(w.startswith(q) for w in words_of(name)) for q in words_of(query))


# What each parameter means.
COMMON: dict[str, Callable[[Token, str], bool]] = {
    "private": lambda t, v: (t.type == "Private") == flag(v),
    "investment_type": lambda t, v: t.investment_type.lower() == v.lower(),
}
OF_LIST: dict[str, Callable[[Token, str], bool]] = {
    **COMMON,
    "closed": lambda t, v: t.closed == flag(v),
    "exited": lambda t, v: t.exited == flag(v),
    "primary_raise": lambda t, v: not t.completed_raise if flag(v) else t.secondaries,
    "currency": lambda t, v: t.currency_id == v.upper(),
}
OF_SEARCH: dict[str, Callable[[Token, str], bool]] = {
    **COMMON,
    "exited": lambda t, v: t.exited == flag(v),
    "completed_raise": lambda t, v: t.completed_raise == flag(v),
    "investment_category": lambda t, v: t.investment_category.lower() == v.lower(),
    "name": lambda t, v: has_words(t.name, v),
    "symbol": lambda t, v: t.symbol.upper().startswith(v.upper()),
}
FLAGS = ["true", "false", "1", "0", "True", "FALSE"]
VALUES = {
    "private": FLAGS,
    "closed": FLAGS,
    "exited": FLAGS,
    "primary_raise": FLAGS,
    "completed_raise": FLAGS,
    "currency": ["NGN", "kes", "GHS"],
    "investment_type": ["safe", "THE SERVICE", "debt", "fixed interest", "Debt"],
    "investment_category": ["etf", "Bond", "commercial paper", "ART"],
    "name": QUERIES,
    "symbol": ["T", "tkn", "TKN1", "tkn12", "%", "_", "\\"],
}
ORDERS: dict[str, Callable[[Token], Any]] = {
    "createdAt": lambda t: t.created_at,
    "name": lambda t: t.name,
}


def sees(organisation: Organisation, token: Token, grants: set[tuple[Any, Any]]) -> bool:
    return (
        token.deal_access == "Public"
        or token.issuer_id == organisation.id
        or (organisation.id, token.id) in grants
    )


Catalogue = tuple[list[Token], set[tuple[Any, Any]]]


def catalogue() -> Catalogue:
    """All tokens, and the grants as organisation and token."""
    grants = TokenAccess.objects.values_list("organisation_id", "token_id")
    return list(Token.objects.defer("document")), set(grants)


def matches(caller: ApiCaller, path: str, query: dict[str, str], known: Catalogue) -> list[Token]:
    """What plain Python finds, in the order asked for."""
    tokens, grants = known
    meanings = OF_LIST if path == LIST else OF_SEARCH
    asked = {k: v for k, v in query.items() if k in meanings}
    if path == LIST:
        asked = {"closed": "false", "exited": "false", **asked}
    found = [
        token
        for token in tokens
        if not (path == LIST and token.cancelled)
        and sees(caller.organisation, token, grants)
        and all(meanings[name](token, value) for name, value in asked.items())
    ]
    sort = query.get("sort", "-createdAt")
    key = ORDERS[sort.removeprefix("-")]
    return sorted(found, key=lambda t: (key(t), t.id), reverse=sort.startswith("-"))


def check(caller: ApiCaller, path: str, query: dict[str, str], known: Catalogue) -> None:
    """The answer to `query` is, to the last digit, what plain Python says."""
    rows = matches(caller, path, query, known)
    page, limit = int(query.get("page", 1)), int(query.get("limit", 20))
    wanted = [str(t.id) for t in rows[(page - 1) * limit : page * limit]]
    response = caller.get(path, query)
    assert response.status_code == 200, (query, response.content)
    data = response.json()["data"]
    assert [t["_id"] for t in data["tokens"]] == wanted, query
    told = (data["page"], data["pages"], data["count"], data["total"])
    assert told == (page, math.ceil(len(rows) / limit), len(wanted), len(rows)), query


def query_strategy(path: str) -> st.SearchStrategy[dict[str, str]]:
    names = OF_LIST if path == LIST else OF_SEARCH
    return st.fixed_dictionaries(
        {},
        optional={
            **{name: st.sampled_from(VALUES[name]) for name in names},
            "page": st.sampled_from(["1", "2", "3", "9"]),
            "limit": st.sampled_from(["1", "3", "7", "20", "200"]),
            "sort": st.sampled_from(["createdAt", "-createdAt", "name", "-name"]),
        },
    )


REQUESTS = st.one_of([st.tuples(st.just(path), query_strategy(path)) for path in (LIST, SEARCH)])
CHANGES = st.sampled_from(
    ["none", "none", "insert", "close", "open", "exit", "cancel", "complete", "rename",
     "hide", "show", "grant", "take back", "price", "move type"]
)  # fmt: skip


def change(kind: str, chance: random.Random, issuers: list[Organisation]) -> None:
    """One change of the catalogue or of who sees what."""
    tokens = list(Token.objects.order_by("id"))
    one = Token.objects.filter(id=chance.choice(tokens).id)
    match kind:
        case "insert":
            Token.objects.bulk_create([some_token(chance, issuers)])
        case "grant":
            with contextlib.suppress(Rejected, Conflict):  # the issuer; who sees it already
                grant_access(token_id=one.get().id, organisation_id=chance.choice(issuers).id)
        case "take back":
            TokenAccess.objects.filter(id__in=TokenAccess.objects.values("id")[:1]).delete()
        case "none":
            pass
        case "complete":
            with as_owner() as cursor:
                # As a function does it; the service may not.
                cursor.execute(
                    "UPDATE exchange_token SET completed_raise = true WHERE id = %s", [one.get().pk]
                )
            set_flags(one.get(), secondaries=True)
        case _:
            changes: dict[str, dict[str, Any]] = {
                "close": {"closed": True},
                "open": {"closed": False},
                "exit": {"exited": True},
                "cancel": {"cancelled": True},
                "rename": {"name": chance.choice(WORDS)},
                "hide": {"deal_access": "Private"},
                "show": {"deal_access": "Public"},
                "price": {"price_sell": chance.randrange(1, 100)},
                "move type": {"type": chance.choice(["Private", "Public"])},
            }
            set_flags(one.get(), **changes[kind])


@pytest.fixture
def callers() -> list[ApiCaller]:
    """Three organisations that list tokens and issue them."""
    return [make_caller(["tokens:read"]) for _ in range(3)]


@examples("LISTS", 20)
@given(
    seed=st.integers(0, 2**32),
    steps=st.lists(st.tuples(CHANGES, st.integers(0, 2), REQUESTS), min_size=1, max_size=8),
)
@pytest.mark.slow
def test_pages_and_totals_are_what_plain_python_says_while_everything_changes(callers, seed, steps):
    chance = random.Random(seed)
    issuers = [caller.organisation for caller in callers]
    # Rolled back after each example, so that versions of the catalogue go back as well.
    with transaction.atomic():
        Token.objects.bulk_create(
            [some_token(chance, issuers) for _ in range(chance.randrange(1, 60))]
        )
        known = catalogue()
        for kind, who, (path, query) in steps:
            check(callers[who], path, query, known)
            change(kind, chance, issuers)
            known = catalogue()
            check(callers[who], path, query, known)
        assert TOKEN.find_mismatches() == []
        transaction.set_rollback(True)


@pytest.mark.parametrize("every_page", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", [LIST, SEARCH])
@pytest.mark.one_in(2)
def test_every_combination_of_flags_and_kinds_is_right(path, every_page):
    """Each on a page of some size in turn, or on all of them."""
    chance = random.Random(11)
    callers = [make_caller(["tokens:read"]) for _ in range(2)]
    issuers = [callers[0].organisation, make_organisation()]
    Token.objects.bulk_create([some_token(chance, issuers) for _ in range(90)])
    known = catalogue()
    flags = ["closed", "exited", "primary_raise"] if path == LIST else ["exited", "completed_raise"]
    names = ["private", *flags]
    pages = list(product(["1", "2"], ["3", "50"]))
    turns = cycle([[page] for page in pages])
    # An odd number of combinations, so that the pages of the second kind are others.
    for kind, *values in product(["", "debt"], *[["", "true", "false"]] * len(names)):
        query = {**dict(zip(names, values, strict=True)), "investment_type": kind}
        given = {k: v for k, v in query.items() if v}
        for page, limit in pages if every_page else next(turns):
            check(callers[int(page) % 2], path, {**given, "page": page, "limit": limit}, known)


def test_every_filter_alone_finds_the_same_as_plain_python():
    chance = random.Random(5)
    caller = make_caller(["tokens:read"])
    Token.objects.bulk_create([some_token(chance, [caller.organisation]) for _ in range(60)])
    known = catalogue()
    for path, names in ((LIST, OF_LIST), (SEARCH, OF_SEARCH)):
        for name in names:
            for value in VALUES[name]:
                check(caller, path, {name: value, "limit": "200"}, known)


def test_the_order_of_what_was_there_does_not_change_while_tokens_are_listed():
    caller = make_caller(["tokens:read"])
    owner = make_organisation()
    same = [bare_token(owner, name="Same", created_at=START) for _ in range(30)]
    Token.objects.bulk_create(same)
    for sort in ("createdAt", "-createdAt", "name", "-name"):
        before = walk(caller, sort)
        Token.objects.bulk_create([bare_token(owner, name="Same", created_at=START) for _ in "abc"])
        make_token(name="Another")
        after = walk(caller, sort)
        assert [one for one in after if one in set(before)] == before
        assert len(after) == len(set(after)) == len(before) + 4


def test_a_walk_from_the_oldest_meets_every_token_once_while_newer_ones_are_listed():
    caller = make_caller(["tokens:read"])
    owner = make_organisation()
    Token.objects.bulk_create([bare_token(owner, created_at=START) for _ in range(23)])
    met: list[str] = []
    for page in range(1, 8):
        data = caller.get(LIST, {"sort": "createdAt", "limit": "5", "page": page}).json()["data"]
        met += [t["_id"] for t in data["tokens"]]
        if page <= 4:
            Token.objects.bulk_create([bare_token(owner), bare_token(owner)])
    assert len(met) == len(set(met)) == 31


def walk(caller: ApiCaller, sort: str) -> list[str]:
    met: list[str] = []
    for page in range(1, 20):
        data = caller.get(LIST, {"sort": sort, "limit": "7", "page": page}).json()["data"]
        met += [t["_id"] for t in data["tokens"]]
    return met


def test_names_are_found_by_the_beginnings_of_words_in_any_order_and_case():
    for name in (
        "Lekki Gardens Phase 2",
        "Société Générale Côte d'Ivoire",
        "Co.op",
        "The A",
        "日本 Fund",
    ):
        make_token(name=name)
    caller = make_caller()
    for query, found in (
        ("lekki", ["Lekki Gardens Phase 2"]),
        ("LEKKI gard", ["Lekki Gardens Phase 2"]),
        ("gard lek", ["Lekki Gardens Phase 2"]),
        ("phase-2", ["Lekki Gardens Phase 2"]),
        ("'lek' & !gard | <->:*", ["Lekki Gardens Phase 2"]),
        ("ekki", []),
        ("lekki gardenss", []),
        ("soc", ["Société Générale Côte d'Ivoire"]),
        ("SOCIÉTÉ", ["Société Générale Côte d'Ivoire"]),
        ("d'ivoire", ["Société Générale Côte d'Ivoire"]),
        ("ivoire_cô", ["Société Générale Côte d'Ivoire"]),
        ("ivoire cote", ["Société Générale Côte d'Ivoire"]),
        ("DIVOIRE", ["Société Générale Côte d'Ivoire"]),
        ("coop", []),
        ("co op", ["Co.op"]),
        ("op", ["Co.op"]),
        ("the", ["The A"]),
        ("a", ["The A"]),
        ("%", []),
        ("'", []),
        ("\\", []),
        ("*:", []),
        ("日本", ["日本 Fund"]),
    ):
        data = caller.get(SEARCH, {"name": query}).json()["data"]
        assert [t["name"] for t in data["tokens"]] == found, query
        assert data["total"] == len(found), query


def test_symbols_are_found_from_their_start_in_any_case():
    for symbol in ("LKG1", "lkg2", "ZKG"):
        make_token(symbol=symbol)
    caller = make_caller()
    for query, found in (
        ("lkg", ["LKG1", "lkg2"]),
        ("LKG2", ["lkg2"]),
        ("KG", []),
        ("L%", []),
        ("lkg_", []),
    ):
        data = caller.get(SEARCH, {"symbol": query, "sort": "createdAt"}).json()["data"]
        assert [t["symbol"] for t in data["tokens"]] == found, query


def test_only_search_shows_what_was_cancelled_and_only_the_list_hides_what_is_over():
    made = {s: str(make_token(None, **{s: True}).id) for s in ("closed", "exited", "cancelled")}
    active = str(make_token().id)
    caller = make_caller()

    def found(path: str, **query: str) -> set[str]:
        return {t["_id"] for t in caller.get(path, query).json()["data"]["tokens"]}

    assert found(LIST) == {active}
    assert found(LIST, closed="true") == {made["closed"]}
    assert found(LIST, exited="true") == {made["exited"]}
    assert found(LIST, closed="true", exited="true") == set()
    assert found(SEARCH) == {active, *made.values()}
    assert found(SEARCH, exited="true") == {made["exited"]}
    assert found(SEARCH, exited="false") == {active, made["closed"], made["cancelled"]}
