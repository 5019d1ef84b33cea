"""What a process remembers of the catalogue: what each page then asks of the database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from exchange.core.lru import LruCache
from exchange.tokens.filters import TokenSearchFilters
from exchange.tokens.models import Token
from exchange.tokens.selectors import catalogue
from exchange.tokens.selectors.catalogue import (
    CataloguePage,
    CatalogueQuery,
    catalogue_page,
    to_catalogue_query,
)
from exchange.tokens.services.tokens import grant_access
from tests.factories.api_clients import make_organisation
from tests.factories.tokens import bare_token

pytestmark = pytest.mark.django_db

LIMIT = 2
SEES, SHOW = "whether it sees private deals", "the documents of known ids"
ANEW, PAGE, AFTER = "everything", "a stretch from an offset on", "a stretch after another"
SORTED = "sorted at once"


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: Any) -> None:
    """A process that has just started and reads four ids at a time."""
    monkeypatch.setattr(catalogue, "_cache", catalogue._Cache(0))
    monkeypatch.setattr(catalogue, "_BLOCK_SIZE", 4)


@pytest.fixture
def asked(monkeypatch: Any) -> list[str]:
    """What is asked of the database, in its order."""
    told: list[str] = []
    row, run = catalogue._fetch_prepared, catalogue._fetch_planned

    def prepared(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
        told.append(SEES if sql == catalogue._SELECT_AUDIENCE else SHOW)
        return row(sql, parameters)

    def planned(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
        way = ANEW if catalogue._COUNT_MATCHES in sql else AFTER if "WHERE (found." in sql else PAGE
        told.append(f"{way}, {SORTED}" if "found AS MATERIALIZED" in sql else way)
        return run(sql, parameters)

    monkeypatch.setattr(catalogue, "_fetch_prepared", prepared)
    monkeypatch.setattr(catalogue, "_fetch_planned", planned)
    return told


def query(sort: str = "-created_at", **search: str) -> CatalogueQuery:
    found = TokenSearchFilters(search, queryset=Token.objects.all())
    assert found.is_valid()
    return to_catalogue_query(found.qs.order_by(sort, "id"))


def tokens(count: int, **values: Any) -> list[Token]:
    owner = values.pop("issuer", None) or make_organisation()
    return Token.objects.bulk_create(bare_token(owner, **values) for _ in range(count))


def read(asked: list[str], organisation: UUID, offset: int, **search: str) -> list[str]:
    """What one page asks of the database; the page itself is the one that is wanted."""
    asked.clear()
    page = catalogue_page(query(**search), organisation, offset=offset, limit=LIMIT)
    public = Token.objects.filter(deal_access="Public")
    mine = Token.objects.filter(issuer_id=organisation)
    granted = Token.objects.filter(grants__organisation_id=organisation)
    wanted = list((public | mine | granted).distinct().order_by("-created_at", "-id"))
    texts = [token.document for token in wanted[offset : offset + LIMIT]]
    assert page == CataloguePage(len(wanted), len(texts), ",".join(texts))
    return list(asked)


def test_a_page_that_is_known_asks_for_its_documents_alone(asked):
    tokens(12)
    first, second = make_organisation().id, make_organisation().id
    for organisation, offset, statements in (
        (first, 0, [SEES, ANEW]),
        (first, 0, [SHOW]),
        (first, 2, [SHOW]),
        # Another one that sees no private deal: whether it does is asked once.
        (second, 0, [SEES, SHOW]),
        (second, 2, [SHOW]),
        # The next stretch goes on from the last id of the one before, another is counted off.
        (second, 6, [AFTER]),
        (first, 4, [SHOW]),
        (first, 8, [AFTER]),
        # At the end and beyond, there are no ids to ask for.
        (first, 12, [SHOW]),
        (first, 14, [SHOW]),
    ):
        assert read(asked, organisation, offset) == statements, (offset, statements)


def test_a_stretch_that_follows_no_known_one_is_counted_off(asked):
    tokens(12)
    organisation = make_organisation().id
    for offset, statements in ((0, [SEES, ANEW]), (10, [PAGE]), (8, [SHOW]), (4, [AFTER])):
        assert read(asked, organisation, offset) == statements


@pytest.mark.parametrize("granted", [True, False])
def test_who_sees_a_private_deal_has_pages_of_its_own(asked, granted):
    tokens(6)
    issuer = make_organisation()
    tokens(6, issuer=issuer, deal_access="Private")
    organisation = issuer
    if granted:
        organisation = make_organisation()
        for token in Token.objects.filter(issuer=issuer)[:5]:
            grant_access(token_id=token.pk, organisation_id=organisation.pk)
    other = make_organisation().id
    assert read(asked, other, 0) == [SEES, ANEW]
    for offset, statements in (
        (0, [SEES, ANEW]),
        (2, [SHOW]),
        (4, [AFTER]),
        (10, [AFTER]),
        (12, [SHOW]),
        (0, [SHOW]),
    ):
        assert read(asked, organisation.pk, offset) == statements
    assert read(asked, other, 4) == [AFTER]


def test_after_a_change_everything_is_asked_anew_once(asked):
    first, *_ = tokens(12)
    ada, bob, eve = (make_organisation().id for _ in range(3))
    change: Callable[..., Any] = Token.objects.filter(pk=first.pk).update
    read(asked, ada, 0)
    for name, organisation, offset, statements in (
        ("a known page", ada, 0, [SHOW, ANEW]),
        ("a stretch that is not known", ada, 4, [AFTER, ANEW]),
        ("one that never asked", bob, 0, [SEES, ANEW]),
        ("a page beyond the end", bob, 12, [SHOW, ANEW]),
    ):
        change(name=name)
        assert read(asked, organisation, offset) == statements, name
        assert read(asked, organisation, offset) == [SHOW], name
    # Fewer tokens are seen, and none that is gone.
    change(deal_access="Private")
    assert read(asked, eve, 8) == [SEES, ANEW]
    assert read(asked, eve, 10) == [SHOW]
    # What else is told of a token is in its document.
    change(prev_price_buy=5)
    assert read(asked, eve, 10) == [SHOW]


@pytest.mark.parametrize(
    "search", [{"sort": "-updated_at"}, {"updated_from": "2020-01-01T00:00:00.000Z"}]
)
def test_what_is_found_by_the_time_of_a_change_is_never_remembered(asked, search):
    tokens(6)
    organisation = make_organisation().id
    found = query(**search)
    assert found.depends_on_update_time
    memory = catalogue._cache
    for _ in range(2):
        asked.clear()
        page = catalogue_page(found, organisation, offset=4, limit=LIMIT)
        assert (page.total, page.count, asked) == (6, 2, [ANEW])
    assert catalogue._cache is memory
    assert memory.private.get(organisation) is None
    assert not query().depends_on_update_time


@pytest.mark.parametrize(
    ("search", "uses_word_index"),
    [({"name": "tok"}, True), ({"symbol": "tkn"}, True), ({"exited": "false"}, False)],
)
def test_few_matches_of_a_word_are_sorted_and_many_are_walked(
    asked, monkeypatch, search, uses_word_index
):
    tokens(8)
    organisation = make_organisation().id
    assert query(**search).uses_word_index is uses_word_index
    sorted_ = f", {SORTED}" if uses_word_index else ""
    assert read(asked, organisation, 0, **search) == [SEES, ANEW + sorted_]
    for most, once in ((8, sorted_), (7, "")):
        monkeypatch.setattr(catalogue, "_SORT_THRESHOLD", most)
        monkeypatch.setattr(catalogue._cache, "blocks", LruCache(1))
        assert read(asked, organisation, 4, **search) == [PAGE + once]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 200])
def test_a_page_far_beyond_every_end_is_empty(asked, limit):
    tokens(3)
    organisation = make_organisation().id
    for _ in range(2):
        # More than an OFFSET takes.
        page = catalogue_page(query(), organisation, offset=limit * 10**19, limit=limit)
        assert page == CataloguePage(3, 0, "")


def test_a_stretch_is_of_whole_pages():
    for limit, offset, size, start, start_in_block in (
        (1, 5, 4, 4, 1),
        (2, 6, 4, 4, 2),
        (3, 6, 3, 6, 0),
        (4, 8, 4, 8, 0),
        (5, 10, 5, 10, 0),
    ):
        window = catalogue._Window(offset, limit)
        assert (window.size, window.start, window.start_in_block) == (size, start, start_in_block)


class Turn:
    """A lock that tells when somebody has to wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.refused = threading.Event()

    def acquire(self, *, blocking: bool = True) -> bool:
        if self.lock.acquire(blocking=False):
            return True
        self.refused.set()
        return blocking and self.lock.acquire(timeout=10)

    def release(self) -> None:
        self.lock.release()


def test_who_asks_while_another_does_waits_for_what_that_one_finds(asked, monkeypatch):
    turn = Turn()
    monkeypatch.setattr(catalogue, "_turn_locks", [turn])
    organisation = make_organisation().id

    def ask() -> CataloguePage:
        try:
            return catalogue_page(query(), organisation, offset=0, limit=LIMIT)
        finally:
            connections.close_all()

    turn.acquire()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask)
        assert turn.refused.wait(10)
        assert asked == [SEES]
        catalogue._read_uncached(query(), organisation, catalogue._Window(0, LIMIT))
        turn.release()
        assert waiting.result() == CataloguePage(0, 0, "")
    assert asked == [SEES, ANEW, SHOW]
    assert not turn.lock.locked()
