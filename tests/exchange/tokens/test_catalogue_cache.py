"""The catalogue's cache: which statements each page runs."""

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
ALL, PAGE, AFTER = "everything", "a block from an offset", "the next block"
SORTED = "materialized"


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: Any) -> None:
    """Start with an empty cache and blocks of four ids."""
    monkeypatch.setattr(catalogue, "_caches", {"default": catalogue._Cache(0)})
    monkeypatch.setattr(catalogue, "_BLOCK_SIZE", 4)


@pytest.fixture
def statements(monkeypatch: Any) -> list[str]:
    """Record the statements, in order."""
    recorded: list[str] = []
    row, run = catalogue._fetch_prepared, catalogue._fetch_planned

    def prepared(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
        recorded.append(SEES if sql == catalogue._SELECT_AUDIENCE else SHOW)
        return row(sql, parameters)

    def planned(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
        later = AFTER if "WHERE (matches." in sql else PAGE
        kind = ALL if catalogue._COUNT_MATCHES in sql else later
        recorded.append(f"{kind}, {SORTED}" if "matches AS MATERIALIZED" in sql else kind)
        return run(sql, parameters)

    monkeypatch.setattr(catalogue, "_fetch_prepared", prepared)
    monkeypatch.setattr(catalogue, "_fetch_planned", planned)
    return recorded


def query(sort: str = "-created_at", **search: str) -> CatalogueQuery:
    found = TokenSearchFilters(search, queryset=Token.objects.all())
    assert found.is_valid()
    return to_catalogue_query(found.qs.order_by(sort, "id"))


def tokens(count: int, **values: Any) -> list[Token]:
    owner = values.pop("issuer", None) or make_organisation()
    return Token.objects.bulk_create(bare_token(owner, **values) for _ in range(count))


def read(statements: list[str], organisation: UUID, offset: int, **search: str) -> list[str]:
    """Return the statements of one page, and check the page itself."""
    statements.clear()
    page = catalogue_page(query(**search), organisation, offset=offset, limit=LIMIT)
    public = Token.objects.filter(deal_access="Public")
    mine = Token.objects.filter(issuer_id=organisation)
    granted = Token.objects.filter(grants__organisation_id=organisation)
    wanted = list((public | mine | granted).distinct().order_by("-created_at", "-id"))
    texts = [token.document for token in wanted[offset : offset + LIMIT]]
    assert page == CataloguePage(len(wanted), len(texts), ",".join(texts))
    return list(statements)


def test_a_cached_page_reads_only_its_documents(statements):
    tokens(12)
    first, second = make_organisation().id, make_organisation().id
    for organisation, offset, expected in (
        (first, 0, [SEES, ALL]),
        (first, 0, [SHOW]),
        (first, 2, [SHOW]),
        # Another one that sees no private deal; that is read once.
        (second, 0, [SEES, SHOW]),
        (second, 2, [SHOW]),
        # The next block continues from the last id of the previous one, any other uses an offset.
        (second, 6, [AFTER]),
        (first, 4, [SHOW]),
        (first, 8, [AFTER]),
        # At the end and beyond there are no ids to read.
        (first, 12, [SHOW]),
        (first, 14, [SHOW]),
    ):
        assert read(statements, organisation, offset) == expected, (offset, expected)


def test_a_block_that_follows_no_cached_one_uses_an_offset(statements):
    tokens(12)
    organisation = make_organisation().id
    for offset, expected in ((0, [SEES, ALL]), (10, [PAGE]), (8, [SHOW]), (4, [AFTER])):
        assert read(statements, organisation, offset) == expected


@pytest.mark.parametrize("granted", [True, False])
def test_an_organisation_with_private_deals_has_its_own_pages(statements, granted):
    tokens(6)
    issuer = make_organisation()
    tokens(6, issuer=issuer, deal_access="Private")
    organisation = issuer
    if granted:
        organisation = make_organisation()
        for token in Token.objects.filter(issuer=issuer)[:5]:
            grant_access(token_id=token.pk, organisation_id=organisation.pk)
    other = make_organisation().id
    assert read(statements, other, 0) == [SEES, ALL]
    for offset, expected in (
        (0, [SEES, ALL]),
        (2, [SHOW]),
        (4, [AFTER]),
        (10, [AFTER]),
        (12, [SHOW]),
        (0, [SHOW]),
    ):
        assert read(statements, organisation.pk, offset) == expected
    assert read(statements, other, 4) == [AFTER]


def test_after_a_change_everything_is_read_again_once(statements):
    first, *_ = tokens(12)
    ada, bob, eve = (make_organisation().id for _ in range(3))
    change: Callable[..., Any] = Token.objects.filter(pk=first.pk).update
    read(statements, ada, 0)
    for name, organisation, offset, expected in (
        ("a cached page", ada, 0, [SHOW, ALL]),
        ("a block that is not cached", ada, 4, [AFTER, ALL]),
        ("a new organisation", bob, 0, [SEES, ALL]),
        ("a page beyond the end", bob, 12, [SHOW, ALL]),
    ):
        change(name=name)
        assert read(statements, organisation, offset) == expected, name
        assert read(statements, organisation, offset) == [SHOW], name
    # A token that becomes private disappears.
    change(deal_access="Private")
    assert read(statements, eve, 8) == [SEES, ALL]
    assert read(statements, eve, 10) == [SHOW]
    # Other values are in the document only.
    change(prev_price_buy=5)
    assert read(statements, eve, 10) == [SHOW]


@pytest.mark.parametrize(
    "search", [{"sort": "-updated_at"}, {"updated_from": "2020-01-01T00:00:00.000Z"}]
)
def test_queries_by_time_of_change_are_never_cached(statements, search):
    tokens(6)
    organisation = make_organisation().id
    found = query(**search)
    assert found.depends_on_update_time
    cache = catalogue._caches["default"]
    for _ in range(2):
        statements.clear()
        page = catalogue_page(found, organisation, offset=4, limit=LIMIT)
        assert (page.total, page.count, statements) == (6, 2, [ALL])
    assert catalogue._caches["default"] is cache
    assert cache.private.get(organisation) is None
    assert not query().depends_on_update_time


@pytest.mark.parametrize(
    ("search", "uses_word_index"),
    [({"name": "tok"}, True), ({"symbol": "tkn"}, True), ({"exited": "false"}, False)],
)
def test_few_matches_of_a_word_are_sorted_and_many_are_walked(
    statements, monkeypatch, search, uses_word_index
):
    tokens(8)
    organisation = make_organisation().id
    assert query(**search).uses_word_index is uses_word_index
    sorted_ = f", {SORTED}" if uses_word_index else ""
    assert read(statements, organisation, 0, **search) == [SEES, ALL + sorted_]
    for most, once in ((8, sorted_), (7, "")):
        monkeypatch.setattr(catalogue, "_SORT_THRESHOLD", most)
        monkeypatch.setattr(catalogue._caches["default"], "blocks", LruCache(1))
        assert read(statements, organisation, 4, **search) == [PAGE + once]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 200])
def test_a_page_far_beyond_the_end_is_empty(statements, limit):
    tokens(3)
    organisation = make_organisation().id
    for _ in range(2):
        # Larger than a valid OFFSET.
        page = catalogue_page(query(), organisation, offset=limit * 10**19, limit=limit)
        assert page == CataloguePage(3, 0, "")


def test_a_block_consists_of_whole_pages():
    for limit, offset, size, start, start_in_block in (
        (1, 5, 4, 4, 1),
        (2, 6, 4, 4, 2),
        (3, 6, 3, 6, 0),
        (4, 8, 4, 8, 0),
        (5, 10, 5, 10, 0),
    ):
        window = catalogue._Window(offset, limit)
        assert (window.size, window.start, window.start_in_block) == (size, start, start_in_block)


class ObservedLock:
    """A lock that reports when a caller has to wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.contended = threading.Event()

    def acquire(self, *, blocking: bool = True, timeout: float = 10) -> bool:
        if self.lock.acquire(blocking=False):
            return True
        self.contended.set()
        return blocking and self.lock.acquire(timeout=timeout)

    def release(self) -> None:
        self.lock.release()


def test_concurrent_requests_of_a_page_read_the_database_once(statements, monkeypatch):
    lock = ObservedLock()
    monkeypatch.setattr(catalogue, "_turn_locks", [lock])
    organisation = make_organisation().id

    def read_page() -> CataloguePage:
        try:
            return catalogue_page(query(), organisation, offset=0, limit=LIMIT)
        finally:
            connections.close_all()

    lock.acquire()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(read_page)
        assert lock.contended.wait(10)
        assert statements == [SEES]
        catalogue._read_uncached(query(), organisation, catalogue._Window(0, LIMIT))
        lock.release()
        assert waiting.result() == CataloguePage(0, 0, "")
    assert statements == [SEES, ALL, SHOW]
    assert not lock.lock.locked()
