"""What can be exported: sources of rows, listed in the module that `EXPORT_SOURCES` names.

A list knows its filters and its columns, and is an edge; writing the file is a service. So services
know of a source by its name only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from exchange.core.errors import InvalidRequest, NotFound
from exchange.exports.sheets import Column
from exchange.staff.models import StaffUser


@dataclass(frozen=True, slots=True)
class DateRange:
    """Whole days in UTC, both included; None is open."""

    first: date | None = None
    last: date | None = None

    def __post_init__(self) -> None:
        if self.first and self.last and self.first > self.last:
            raise InvalidRequest("The first day must not be after the last one")

    @property
    def begins(self) -> datetime | None:
        """The first instant."""
        return datetime.combine(self.first, time(), UTC) if self.first else None

    @property
    def ends(self) -> datetime | None:
        """The first instant that no longer belongs to it."""
        if self.last is None:
            return None
        return datetime.combine(self.last, time(), UTC) + timedelta(days=1)

    def narrow(self, rows: QuerySet[Any], field: str) -> QuerySet[Any]:
        """`rows` whose `field` lies within."""
        if self.begins is not None:
            rows = rows.filter(**{f"{field}__gte": self.begins})
        if self.ends is not None:
            rows = rows.filter(**{f"{field}__lt": self.ends})
        return rows


@dataclass(frozen=True, slots=True)
class Source:
    """One list that can be exported.

    `select` gives the rows that `user` sees of it under `query`, the list's own query string, and
    what the filter says in words; it raises `InvalidRequest` for a filter that is none. `records`
    reads them one by one, inside the transaction of the file. `permission` is what reading takes,
    `has_days` whether the days of an export narrow the rows.
    """

    name: str
    title: str
    permission: str
    columns: Sequence[Column]
    select: Callable[[StaffUser, str, DateRange], tuple[QuerySet[Any], str]]
    records: Callable[[QuerySet[Any], str, DateRange], Iterator[Any]]
    has_days: bool = True


def get_source(name: str) -> Source:
    """The source of that name. Raises `NotFound`."""
    sources: Mapping[str, Source] = import_string(settings.EXPORT_SOURCES)
    if name not in sources:
        raise NotFound("There is no such list to export")
    return sources[name]
