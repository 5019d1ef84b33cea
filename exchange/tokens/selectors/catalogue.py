"""Pages of the catalogue: exact totals, and any page in about the time of the first one.

What a question finds, and in which order, changes only together with `Catalogue.version`, in one
commit. So what was found (totals, the ids of a page, whether an organisation sees any private
deal) is remembered with the version, per process and bounded. Every statement reads the version
in the snapshot it answers from: when that is the remembered one, what is remembered is exact;
otherwise all is asked anew in one statement. Documents are never remembered: prices change
without the version. Nor is what is found by the time of a change.

Organisations that see no private deal, nearly all, share what is remembered.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import QuerySet

from exchange.core.database import fetch_one
from exchange.core.lru import LruCache
from exchange.tokens.models import Token
from exchange.tokens.selectors.tokens import IS_PUBLIC, IS_VISIBLE

# Ids are read in stretches of up to so many, whole pages of them: the pages after one that was
# asked for are found with it.
_BLOCK_SIZE = 1_000
# The characters of an id in an array, with the comma after it.
_ID_WIDTH = 37
# The most that one process remembers.
_MAX_BLOCKS, _MAX_TOTALS, _MAX_ORGANISATIONS = 400, 5_000, 10_000
# Beyond the end of any table, and within what OFFSET takes.
_MAX_OFFSET = 10**15
# Of so many matches or fewer, finding all of them by an index and sorting beats walking the list.
_SORT_THRESHOLD = 3_000


@dataclass(frozen=True, slots=True)
class CatalogueQuery:
    """What is looked for among all tokens: a condition in SQL with its parameters, and an order."""

    where: str
    parameters: tuple[Any, ...]
    column: str
    descending: bool

    @property
    def uses_word_index(self) -> bool:
        """Whether an index of words or symbols finds the matches."""
        return '"words"' in self.where or '"symbol"' in self.where

    @property
    def depends_on_update_time(self) -> bool:
        """Whether it asks when tokens changed, which the version does not tell."""
        return '"updated_at"' in self.where or self.column == "updated_at"

    def order(self, of: str) -> str:
        """ORDER BY of the rows `of`, the id breaking ties."""
        way = "DESC" if self.descending else "ASC"
        return f"{of}.{self.column} {way}, {of}.id {way}"


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """A page: how many tokens match, how many of them are here, and these as joined JSON texts."""

    total: int
    count: int
    text: str


def to_catalogue_query(tokens: QuerySet[Token]) -> CatalogueQuery:
    """The question that a filtered and ordered queryset asks: its conditions, which are on the
    token's own columns, and the first column of its order.
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
    """`limit` matches from `offset` on, and the block of ids they are in."""

    offset: int
    limit: int

    @property
    def size(self) -> int:
        """How many ids the block has, unless the matches end in it."""
        return max(_BLOCK_SIZE // self.limit, 1) * self.limit

    @property
    def start(self) -> int:
        """Where the block starts."""
        return self.offset - self.start_in_block

    @property
    def start_in_block(self) -> int:
        """How much of the block comes before the window."""
        return self.offset % self.size

    def of(self, block: str) -> str:
        """The ids in the window; both as PostgreSQL writes an array, `{a,b}`."""
        begin, end = self.start_in_block * _ID_WIDTH, (self.start_in_block + self.limit) * _ID_WIDTH
        return f"{{{block[1:-1][begin : end - 1]}}}"


def catalogue_page(
    query: CatalogueQuery, organisation_id: UUID, *, offset: int, limit: int
) -> CataloguePage:
    """The matches that the organisation sees, at most `limit` from `offset` on, which is a
    multiple of it.
    """
    window = _Window(min(offset, _MAX_OFFSET // limit * limit), limit)
    if query.depends_on_update_time:
        return _read_uncached(query, organisation_id, window)
    return _read_cached(query, organisation_id, window) or _read_in_turn(
        query, organisation_id, window
    )


class _Cache:
    """What was found at one version. Keys start with a question and the organisation it was found
    for, or None for all that see no private deal.
    """

    def __init__(self, version: int) -> None:
        self.version = version
        self.private: LruCache[UUID, bool] = LruCache(_MAX_ORGANISATIONS)
        self.totals: LruCache[tuple[CatalogueQuery, UUID | None], int] = LruCache(_MAX_TOTALS)
        # By the limit, which decides their size, and their start.
        self.blocks: LruCache[tuple[CatalogueQuery, UUID | None, int, int], str] = LruCache(
            _MAX_BLOCKS
        )


# Of the version last seen. A thread that still holds the one before does no harm: it compares
# with what its own statement read.
_cache = _Cache(0)


def _read_cached(
    query: CatalogueQuery, organisation_id: UUID, window: _Window
) -> CataloguePage | None:
    """The page, where enough is remembered and still holds."""
    cache = _cache
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
    """The page asked anew; requests that come for it meanwhile wait for what is then remembered.

    After a change everybody asks at once what takes longest: the totals.
    """
    turn = _turn_locks[hash((query, window)) % len(_turn_locks)]
    at_once = turn.acquire(blocking=False)
    if not at_once:
        turn.acquire()
    try:
        found = None if at_once else _read_cached(query, organisation_id, window)
        return found or _read_uncached(query, organisation_id, window)
    finally:
        turn.release()


_turn_locks = [threading.Lock() for _ in range(64)]


def _read_uncached(query: CatalogueQuery, organisation_id: UUID, window: _Window) -> CataloguePage:
    """The page by one statement that takes nothing for granted. Its findings are remembered,
    unless a change that leaves the version as it is can make them wrong.
    """
    global _cache  # noqa: PLW0603 - what the process remembers
    whose = [organisation_id, organisation_id]
    found = _matches_sql(query, IS_VISIBLE, once=query.uses_word_index)
    version, private, total, block, text = _fetch_planned(
        f"{found} SELECT version, {_HAS_PRIVATE_ACCESS}, {_COUNT_MATCHES}, {_page_sql(query)}",
        [
            *(*query.parameters, *whose, window.size, window.start),
            *(*whose, window.limit, window.start_in_block),
        ],
    )
    if query.depends_on_update_time:
        return CataloguePage(total, _count_ids(window.of(block)), text)
    cache = _cache
    if cache.version != version:
        cache = _cache = _Cache(version)
    audience = organisation_id if private else None
    cache.private.put(organisation_id, private)
    cache.totals.put((query, audience), total)
    cache.blocks.put((query, audience, window.limit, window.start), block)
    return CataloguePage(total, _count_ids(window.of(block)), text)


def _read_page(
    query: CatalogueQuery, audience: UUID | None, window: _Window, total: int, before: str | None
) -> tuple[int, str, str]:
    """Version, block and texts of a page, going on after the block `before` where known."""
    whose = [audience, audience] if audience else []
    found = _matches_sql(
        query,
        IS_VISIBLE if audience else IS_PUBLIC,
        once=query.uses_word_index and total <= _SORT_THRESHOLD,
        after=before is not None,
    )
    place = (
        [window.size, window.start] if before is None else [before[-_ID_WIDTH:-1], window.size, 0]
    )
    return _fetch_planned(
        f"{found} SELECT version, {_page_sql(query)}",
        [*query.parameters, *whose, *place, window.limit, window.start_in_block],
    )


# What follows is put together from our own declarations; what a client sends are parameters.


def _matches_sql(query: CatalogueQuery, visible: str, *, once: bool, after: bool = False) -> str:
    """WITH `found`, all that match, made `once` or walked in order, and a `block` of them, from
    an offset on; that counts from a token's place when it goes on `after` one.
    """
    column, way = query.column, "<" if query.descending else ">"
    anchor = f"WHERE (found.{column}, found.id) {way} ({_position_sql(column)})"
    return f"""
        WITH found AS {"MATERIALIZED" if once else "NOT MATERIALIZED"} (
            SELECT exchange_token.id, exchange_token.{column} FROM exchange_token
            WHERE ({query.where}) AND {visible}
        ), block AS MATERIALIZED (
            SELECT found.id, found.{column} FROM found {anchor if after else ""}
            ORDER BY {query.order("found")} LIMIT %s OFFSET %s
        )
    """  # noqa: S608 - see above


def _position_sql(column: str) -> str:
    return f"SELECT t.{column}, t.id FROM exchange_token t WHERE t.id = %s"  # noqa: S608 - see above


def _page_sql(query: CatalogueQuery) -> str:
    """Of the block and of the page in it. No document is read for what is skipped."""
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
_COUNT_MATCHES = "(SELECT count(*) FROM found)"
_SELECT_AUDIENCE = f"SELECT version, {_HAS_PRIVATE_ACCESS} FROM exchange_catalogue"  # noqa: S608 - see above
_SELECT_DOCUMENTS = """
    SELECT version, (SELECT coalesce(string_agg(t.document, ',' ORDER BY page.place), '')
        FROM unnest(%s::uuid[]) WITH ORDINALITY page (id, place)
        JOIN exchange_token t ON t.id = page.id)
    FROM exchange_catalogue
"""


def _fetch_prepared(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
    """The row of a statement that is the same at every request, prepared."""
    row = fetch_one(sql, parameters, retryable=True)
    assert row is not None  # noqa: S101 - the catalogue has its row
    return row


def _fetch_planned(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
    """The row of a statement that is planned for its own parameters."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        row: tuple[Any, ...] = cursor.fetchone()
        return row


def _count_ids(ids: str) -> int:
    return 0 if ids == "{}" else ids.count(",") + 1
