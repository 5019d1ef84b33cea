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
from exchange.core.lru import Lru
from exchange.tokens.models import Token
from exchange.tokens.selectors.tokens import PUBLIC, VISIBLE

# Ids are read in stretches of up to so many, whole pages of them: the pages after one that was
# asked for are found with it.
_STRETCH = 1_000
# The characters of an id in an array, with the comma after it.
_ID = 37
# The most that one process remembers.
_STRETCHES, _TOTALS, _ORGANISATIONS = 400, 5_000, 10_000
# Beyond the end of any table, and within what OFFSET takes.
_FAR = 10**15
# Of so many matches or fewer, finding all of them by an index and sorting beats walking the list.
_FEW = 3_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for among all tokens: a condition in SQL with its parameters, and an order."""

    where: str
    parameters: tuple[Any, ...]
    column: str
    descending: bool

    @property
    def by_word(self) -> bool:
        """Whether an index of words or symbols finds the matches."""
        return '"words"' in self.where or '"symbol"' in self.where

    @property
    def by_change(self) -> bool:
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


def question_of(tokens: QuerySet[Token]) -> Question:
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
    return Question(where, tuple(parameters), first.removeprefix("-"), first.startswith("-"))


@dataclass(frozen=True, slots=True)
class _Window:
    """`limit` matches from `offset` on, and the stretch of ids they are in."""

    offset: int
    limit: int

    @property
    def size(self) -> int:
        """How many ids the stretch has, unless the matches end in it."""
        return max(_STRETCH // self.limit, 1) * self.limit

    @property
    def start(self) -> int:
        """Where the stretch starts."""
        return self.offset - self.skipped

    @property
    def skipped(self) -> int:
        """How much of the stretch comes before the window."""
        return self.offset % self.size

    def of(self, stretch: str) -> str:
        """The ids in the window; both as PostgreSQL writes an array, `{a,b}`."""
        begin, end = self.skipped * _ID, (self.skipped + self.limit) * _ID
        return f"{{{stretch[1:-1][begin : end - 1]}}}"


def catalogue_page(
    question: Question, organisation_id: UUID, *, offset: int, limit: int
) -> CataloguePage:
    """The matches that the organisation sees, at most `limit` from `offset` on, which is a
    multiple of it.
    """
    window = _Window(min(offset, _FAR // limit * limit), limit)
    if question.by_change:
        return _anew(question, organisation_id, window)
    return _by_memory(question, organisation_id, window) or _in_turn(
        question, organisation_id, window
    )


class _Memory:
    """What was found at one version. Keys start with a question and the organisation it was found
    for, or None for all that see no private deal.
    """

    def __init__(self, version: int) -> None:
        self.version = version
        self.private: Lru[UUID, bool] = Lru(_ORGANISATIONS)
        self.totals: Lru[tuple[Question, UUID | None], int] = Lru(_TOTALS)
        # By the limit, which decides their size, and their start.
        self.stretches: Lru[tuple[Question, UUID | None, int, int], str] = Lru(_STRETCHES)


# Of the version last seen. A thread that still holds the one before does no harm: it compares
# with what its own statement read.
_memory = _Memory(0)


def _by_memory(question: Question, organisation_id: UUID, window: _Window) -> CataloguePage | None:
    """The page, where enough is remembered and still holds."""
    memory = _memory
    private = memory.private.get(organisation_id)
    if private is None:
        version, private = _row(_SEES, [organisation_id, organisation_id])
        if version != memory.version:
            return None
        memory.private.put(organisation_id, private)
    audience = organisation_id if private else None
    total = memory.totals.get((question, audience))
    if total is None:
        return None
    key = (question, audience, window.limit, window.start)
    stretch = "{}" if window.offset >= total else memory.stretches.get(key)
    if stretch is not None:
        ids = window.of(stretch)
        version, text = _row(_SHOW, [ids])
        return CataloguePage(total, _count(ids), text) if version == memory.version else None
    before = memory.stretches.get((*key[:3], window.start - window.size))
    version, stretch, text = _page(question, audience, window, total, before)
    if version != memory.version:
        return None
    memory.stretches.put(key, stretch)
    return CataloguePage(total, _count(window.of(stretch)), text)


def _in_turn(question: Question, organisation_id: UUID, window: _Window) -> CataloguePage:
    """The page asked anew; requests that come for it meanwhile wait for what is then remembered.

    After a change everybody asks at once what takes longest: the totals.
    """
    turn = _turns[hash((question, window)) % len(_turns)]
    at_once = turn.acquire(blocking=False)
    if not at_once:
        turn.acquire()
    try:
        found = None if at_once else _by_memory(question, organisation_id, window)
        return found or _anew(question, organisation_id, window)
    finally:
        turn.release()


_turns = [threading.Lock() for _ in range(64)]


def _anew(question: Question, organisation_id: UUID, window: _Window) -> CataloguePage:
    """The page by one statement that takes nothing for granted. Its findings are remembered,
    unless a change that leaves the version as it is can make them wrong.
    """
    global _memory  # noqa: PLW0603 - what the process remembers
    whose = [organisation_id, organisation_id]
    found = _found(question, VISIBLE, once=question.by_word)
    version, private, total, stretch, text = _run(
        f"{found} SELECT version, {_PRIVATE}, {_TOTAL}, {_ids_and_texts(question)}",
        [
            *(*question.parameters, *whose, window.size, window.start),
            *(*whose, window.limit, window.skipped),
        ],
    )
    if question.by_change:
        return CataloguePage(total, _count(window.of(stretch)), text)
    memory = _memory
    if memory.version != version:
        memory = _memory = _Memory(version)
    audience = organisation_id if private else None
    memory.private.put(organisation_id, private)
    memory.totals.put((question, audience), total)
    memory.stretches.put((question, audience, window.limit, window.start), stretch)
    return CataloguePage(total, _count(window.of(stretch)), text)


def _page(
    question: Question, audience: UUID | None, window: _Window, total: int, before: str | None
) -> tuple[int, str, str]:
    """Version, stretch and texts of a page, going on after the stretch `before` where known."""
    whose = [audience, audience] if audience else []
    found = _found(
        question,
        VISIBLE if audience else PUBLIC,
        once=question.by_word and total <= _FEW,
        after=before is not None,
    )
    place = [window.size, window.start] if before is None else [before[-_ID:-1], window.size, 0]
    return _run(
        f"{found} SELECT version, {_ids_and_texts(question)}",
        [*question.parameters, *whose, *place, window.limit, window.skipped],
    )


# What follows is put together from our own declarations; what a client sends are parameters.


def _found(question: Question, visible: str, *, once: bool, after: bool = False) -> str:
    """WITH `found`, all that match, made `once` or walked in order, and a `stretch` of them, from
    an offset on; that counts from a token's place when it goes on `after` one.
    """
    column, way = question.column, "<" if question.descending else ">"
    anchor = f"WHERE (found.{column}, found.id) {way} ({_place(column)})"
    return f"""
        WITH found AS {"MATERIALIZED" if once else "NOT MATERIALIZED"} (
            SELECT exchange_token.id, exchange_token.{column} FROM exchange_token
            WHERE ({question.where}) AND {visible}
        ), stretch AS MATERIALIZED (
            SELECT found.id, found.{column} FROM found {anchor if after else ""}
            ORDER BY {question.order("found")} LIMIT %s OFFSET %s
        )
    """  # noqa: S608 - see above


def _place(column: str) -> str:
    return f"SELECT t.{column}, t.id FROM exchange_token t WHERE t.id = %s"  # noqa: S608 - see above


def _ids_and_texts(question: Question) -> str:
    """Of the stretch and of the page in it. No document is read for what is skipped."""
    return f"""
        (SELECT coalesce(array_agg(s.id ORDER BY {question.order("s")}), '{{}}')::text
            FROM stretch s),
        (SELECT coalesce(string_agg(t.document, ',' ORDER BY {question.order("page")}), '')
            FROM (SELECT * FROM stretch s ORDER BY {question.order("s")} LIMIT %s OFFSET %s) page
            JOIN exchange_token t ON t.id = page.id)
        FROM exchange_catalogue
    """  # noqa: S608 - see above


_PRIVATE = """
    (EXISTS (SELECT FROM exchange_tokenaccess WHERE organisation_id = %s)
    OR EXISTS (SELECT FROM exchange_token WHERE issuer_id = %s AND deal_access = 'Private'))
"""
_TOTAL = "(SELECT count(*) FROM found)"
_SEES = f"SELECT version, {_PRIVATE} FROM exchange_catalogue"  # noqa: S608 - see above
_SHOW = """
    SELECT version, (SELECT coalesce(string_agg(t.document, ',' ORDER BY page.place), '')
        FROM unnest(%s::uuid[]) WITH ORDINALITY page (id, place)
        JOIN exchange_token t ON t.id = page.id)
    FROM exchange_catalogue
"""


def _row(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
    """The row of a statement that is the same at every request, prepared."""
    row = fetch_one(sql, parameters, repeatable=True)
    assert row is not None  # noqa: S101 - the catalogue has its row
    return row


def _run(sql: str, parameters: list[Any]) -> tuple[Any, ...]:
    """The row of a statement that is planned for its own parameters."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        row: tuple[Any, ...] = cursor.fetchone()
        return row


def _count(ids: str) -> int:
    return 0 if ids == "{}" else ids.count(",") + 1
