"""Pages of the catalogue, with exact totals and about the same cost for every page.

The matches of a query and their order change only together with `Catalogue.version`, in one commit.
So totals, the ids of pages, and whether an organisation sees a private deal are cached by version,
per process and bounded. Every statement reads the version in its own snapshot: if it equals the
cached one, the cached results are exact; otherwise one statement reads everything again. Documents
are never cached, as prices change without the version; nor are queries by time of change.

Organisations that see no private deal, nearly all, share the cached results. The replica has a
cache of its own, as its version may be older than the primary's.
"""

import threading
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet

from exchange.core.database import fetch_one, read_alias, read_cursor
from exchange.core.lru import LruCache
from exchange.tokens.models import Token
from exchange.tokens.selectors.tokens import IS_PUBLIC, IS_VISIBLE

# Ids are read in blocks of whole pages, so that the next pages are read with the requested one.
_BLOCK_SIZE = 1_000
# Characters of an id in an array, including its comma.
_ID_WIDTH = 37
# Cache limits per process.
_MAX_BLOCKS, _MAX_TOTALS, _MAX_ORGANISATIONS = 400, 5_000, 10_000
# Beyond the end of any table, and a valid OFFSET.
_MAX_OFFSET = 10**15
# Up to so many matches, reading all by an index and sorting beats walking the list in order.
_SORT_THRESHOLD = 3_000


@dataclass(frozen=True, slots=True)
class CatalogueQuery:
    """A query over all tokens: an SQL condition with its parameters, and an order."""

    where: str
    parameters: tuple[Any, ...]
    column: str
    descending: bool

    @property
    def uses_word_index(self) -> bool:
        """Whether an index of words or symbols serves the query."""
        return '"words"' in self.where or '"symbol"' in self.where

    @property
    def depends_on_update_time(self) -> bool:
        """Whether it depends on the time of change, which the version does not cover."""
        return '"updated_at"' in self.where or self.column == "updated_at"

    def order(self, of: str) -> str:
        """Return the ORDER BY of the rows `of`, with the id as tie-breaker."""
        direction = "DESC" if self.descending else "ASC"
        return f"{of}.{self.column} {direction}, {of}.id {direction}"


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """A page: the total of matches, the number on the page, and their joined JSON texts."""

    total: int
    count: int
    text: str


def to_catalogue_query(tokens: QuerySet[Token]) -> CatalogueQuery:
    """Convert a filtered and ordered queryset.

    Takes its conditions, which must be on the token's own columns, and the first order column.
    """
    query = tokens.query
    where: str
    parameters: Any = ()
    try:
        where, parameters = query.get_compiler(DEFAULT_DB_ALIAS).compile(query.where)
    except FullResultSet:
        where = "true"
    except EmptyResultSet:
        where = "false"
    first = str(query.order_by[0])
    return CatalogueQuery(where, tuple(parameters), first.removeprefix("-"), first.startswith("-"))


@dataclass(frozen=True, slots=True)
class _Window:
    """`limit` matches from `offset`, and the block of ids that contains them."""

    offset: int
    limit: int

    @property
    def size(self) -> int:
        """Number of ids in the block, unless the matches end in it."""
        return max(_BLOCK_SIZE // self.limit, 1) * self.limit

    @property
    def start(self) -> int:
        """Offset of the block."""
        return self.offset - self.start_in_block

    @property
    def start_in_block(self) -> int:
        """Offset of the window within the block."""
        return self.offset % self.size

    def of(self, block: str) -> str:
        """Return the ids of the window; both are PostgreSQL array texts, `{a,b}`."""
        begin, end = self.start_in_block * _ID_WIDTH, (self.start_in_block + self.limit) * _ID_WIDTH
        return f"{{{block[1:-1][begin : end - 1]}}}"


def catalogue_page(
    query: CatalogueQuery, organisation_id: UUID, *, offset: int, limit: int
) -> CataloguePage:
    """Return the matches that the organisation sees; `offset` is a multiple of `limit`."""
    window = _Window(min(offset, _MAX_OFFSET // limit * limit), limit)
    if query.depends_on_update_time:
        return _read_uncached(query, organisation_id, window)
    return _read_cached(query, organisation_id, window) or _read_in_turn(
        query, organisation_id, window
    )


class _Cache:
    """Results of one version.

    Keys start with a query and its organisation, or None for all that see no private deal.
    """

    def __init__(self, version: int) -> None:
        self.version = version
        self.private: LruCache[UUID, bool] = LruCache(_MAX_ORGANISATIONS)
        self.totals: LruCache[tuple[CatalogueQuery, UUID | None], int] = LruCache(_MAX_TOTALS)
        # Also by the limit, which sets the size of a block, and its offset.
        self.blocks: LruCache[tuple[CatalogueQuery, UUID | None, int, int], str] = LruCache(
            _MAX_BLOCKS
        )


# For the last version read from each database. A thread may still use the previous one: it compares
# versions with its own statement.
_caches: dict[str, _Cache] = {}


def _read_cached(
    query: CatalogueQuery, organisation_id: UUID, window: _Window
) -> CataloguePage | None:
    """Return the page if enough is cached and still valid."""
    cache = _caches.get(read_alias()) or _Cache(0)
    private = cache.private.get(organisation_id)
    if private is None:
        version, private = _fetch_prepared(_SELECT_AUDIENCE, [organisation_id, organisation_id])
        if version != cache.version:
            return None
        cache.private.put(organisation_id, private)
    audience = organisation_id if private else None
    total = cache.totals.get((query, audience))
    if total is None:
        return None
    key = (query, audience, window.limit, window.start)
    block = "{}" if window.offset >= total else cache.blocks.get(key)
    if block is not None:
        ids = window.of(block)
        version, text = _fetch_prepared(_SELECT_DOCUMENTS, [ids])
        return CataloguePage(total, _count_ids(ids), text) if version == cache.version else None
    before = cache.blocks.get((*key[:3], window.start - window.size))
    version, block, text = _read_page(query, audience, window, total, before)
    if version != cache.version:
        return None
    cache.blocks.put(key, block)
    return CataloguePage(total, _count_ids(window.of(block)), text)


def _read_in_turn(query: CatalogueQuery, organisation_id: UUID, window: _Window) -> CataloguePage:
    """Read the page from the database once; concurrent requests wait for the cached result.

    After a change all clients request the expensive part, the totals, at the same time. One that
    has waited `_TURN_SECONDS` reads by itself.
    """
    lock = _turn_locks[hash((query, window)) % len(_turn_locks)]
    is_first = lock.acquire(blocking=False)
    has_turn = is_first or lock.acquire(timeout=_TURN_SECONDS)
    try:
        page = None if is_first else _read_cached(query, organisation_id, window)
        return page or _read_uncached(query, organisation_id, window)
    finally:
        if has_turn:
            lock.release()


_TURN_SECONDS = 2.0
_turn_locks = [threading.Lock() for _ in range(64)]


def _read_uncached(query: CatalogueQuery, organisation_id: UUID, window: _Window) -> CataloguePage:
    """Read the page with one statement, and cache the results if the version covers them."""
    viewer = [organisation_id, organisation_id]
    matches = _matches_sql(query, IS_VISIBLE, once=query.uses_word_index)
    version, private, total, block, text = _fetch_planned(
        f"{matches} SELECT version, {_HAS_PRIVATE_ACCESS}, {_COUNT_MATCHES}, {_page_sql(query)}",
        [
            *(*query.parameters, *viewer, window.size, window.start),
            *(*viewer, window.limit, window.start_in_block),
        ],
    )
    if query.depends_on_update_time:
        return CataloguePage(total, _count_ids(window.of(block)), text)
    cache = _caches.get(read_alias())
    if cache is None or cache.version != version:
        cache = _caches[read_alias()] = _Cache(version)
    audience = organisation_id if private else None
    cache.private.put(organisation_id, private)
    cache.totals.put((query, audience), total)
    cache.blocks.put((query, audience, window.limit, window.start), block)
    return CataloguePage(total, _count_ids(window.of(block)), text)


def _read_page(
    query: CatalogueQuery, audience: UUID | None, window: _Window, total: int, before: str | None
) -> tuple[int, str, str]:
    """Read version, block and texts of a page, continuing after the block `before` if known."""
    viewer = [audience, audience] if audience else []
    matches = _matches_sql(
        query,
        IS_VISIBLE if audience else IS_PUBLIC,
        once=query.uses_word_index and total <= _SORT_THRESHOLD,
        after=before is not None,
    )
    position = (
        [window.size, window.start] if before is None else [before[-_ID_WIDTH:-1], window.size, 0]
    )
    return _fetch_planned(
        f"{matches} SELECT version, {_page_sql(query)}",
        [*query.parameters, *viewer, *position, window.limit, window.start_in_block],
    )


# The SQL below is composed of our own declarations; client input is passed as parameters.


def _matches_sql(query: CatalogueQuery, visible: str, *, once: bool, after: bool = False) -> str:
    """Return the WITH of all `matches` and of a `block` of them from an offset.

    `once` materializes the matches instead of walking them in order. With `after` the offset counts
    from a token, whose id is a parameter.
    """
    column, comparison = query.column, "<" if query.descending else ">"
    anchor = f"WHERE (matches.{column}, matches.id) {comparison} ({_position_sql(column)})"
    return f"""
        WITH matches AS {"MATERIALIZED" if once else "NOT MATERIALIZED"} (
            SELECT exchange_token.id, exchange_token.{column} FROM exchange_token
            WHERE ({query.where}) AND {visible}
        ), block AS MATERIALIZED (
            SELECT matches.id, matches.{column} FROM matches {anchor if after else ""}
            ORDER BY {query.order("matches")} LIMIT %s OFFSET %s
        )
    """  # noqa: S608 - see above


def _position_sql(column: str) -> str:
    return f"SELECT t.{column}, t.id FROM exchange_token t WHERE t.id = %s"  # noqa: S608 - see above


def _page_sql(query: CatalogueQuery) -> str:
    """Return the columns of ids and texts; documents are read for the page only."""
    return f"""
        (SELECT coalesce(array_agg(s.id ORDER BY {query.order("s")}), '{{}}')::text
            FROM block s),
        (SELECT coalesce(string_agg(t.document, ',' ORDER BY {query.order("page")}), '')
            FROM (SELECT * FROM block s ORDER BY {query.order("s")} LIMIT %s OFFSET %s) page
            JOIN exchange_token t ON t.id = page.id)
        FROM exchange_catalogue
    """  # noqa: S608 - see above


_HAS_PRIVATE_ACCESS = """
    (EXISTS (SELECT FROM exchange_tokenaccess WHERE organisation_id = %s)
    OR EXISTS (SELECT FROM exchange_token WHERE issuer_id = %s AND deal_access = 'Private'))
"""
_COUNT_MATCHES = "(SELECT count(*) FROM matches)"
_SELECT_AUDIENCE = f"SELECT version, {_HAS_PRIVATE_ACCESS} FROM exchange_catalogue"  # noqa: S608 - see above
_SELECT_DOCUMENTS = """
    SELECT version, (SELECT coalesce(string_agg(t.document, ',' ORDER BY page.position), '')
        FROM unnest(%s::uuid[]) WITH ORDINALITY page (id, position)
        JOIN exchange_token t ON t.id = page.id)
    FROM exchange_catalogue
"""


def _fetch_prepared(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
    """Fetch the row of a constant statement, which is prepared."""
    row = fetch_one(sql, parameters, retryable=True)
    assert row is not None  # noqa: S101 - the catalogue always has its row
    return row


def _fetch_planned(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
    """Fetch the row of a statement that is planned for its parameters."""
    with read_cursor() as cursor:
        cursor.execute(sql, parameters)
        row: tuple[Any, ...] = cursor.fetchone()
        return row


def _count_ids(ids: str) -> int:
    return 0 if ids == "{}" else ids.count(",") + 1
