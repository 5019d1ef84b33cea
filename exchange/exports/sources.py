"""Export sources, registered in the module that `EXPORT_SOURCES` names.

A source belongs to the admin layer, which knows filters and columns. Services look it up by name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from exchange.core.errors import InvalidRequest, NotFound
from exchange.exports.sheets import SheetColumn
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
        """The start, inclusive."""
        return datetime.combine(self.first, time(), UTC) if self.first else None

    @property
    def ends(self) -> datetime | None:
        """The end, exclusive."""
        if self.last is None:
            return None
        return datetime.combine(self.last, time(), UTC) + timedelta(days=1)

    def narrow(self, rows: QuerySet[Any], field: str) -> QuerySet[Any]:
        """Filter `rows` whose `field` is within the range."""
        if self.begins is not None:
            rows = rows.filter(**{f"{field}__gte": self.begins})
        if self.ends is not None:
            rows = rows.filter(**{f"{field}__lt": self.ends})
        return rows


@dataclass(frozen=True, slots=True)
class Source:
    """A list that can be exported.

    `select` returns the rows that `user` sees under `query`, the list's query string, with a
    description of the filter; it raises `InvalidRequest` for an invalid one. `records` reads them
    one by one in the transaction of the file. `permission` is required to read the list;
    `has_days` is whether the days of an export filter its rows.
    """

    name: str
    title: str
    permission: str
    columns: Sequence[SheetColumn]
    select: Callable[[StaffUser, str, DateRange], tuple[QuerySet[Any], str]]
    records: Callable[[QuerySet[Any], str, DateRange], Iterator[Any]]
    has_days: bool = True


def get_source(name: str) -> Source:
    """Return the source called `name`. Raises `NotFound`."""
    sources: Mapping[str, Source] = import_string(settings.EXPORT_SOURCES)
    if name not in sources:
        raise NotFound("This list cannot be exported")
    return sources[name]
