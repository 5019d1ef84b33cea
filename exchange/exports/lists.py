"""Lists of the back office as sources of exports: the rows that a person sees under a query.

The list's own filters, search and order decide; they are those of its `ModelAdmin`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import QueryDict

from exchange.admin.list_filters import ListFilters
from exchange.core.errors import InvalidRequest
from exchange.exports.sheets import Column
from exchange.exports.sources import DateRange, Source
from exchange.staff.models import StaffUser

_MAX_QUERY_LENGTH = 4_000
_MAX_PARAMETERS = 100
_CHUNK_ROWS = 1_000


def read_records(rows: QuerySet[Any], _query: str, _span: DateRange) -> Iterator[Any]:
    """Give the records of `rows`, one by one, by a cursor of the server."""
    return iter(rows.iterator(chunk_size=_CHUNK_ROWS))


def unchanged(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Give `rows` in the list's own order, with what its columns need."""
    return rows


def list_source(
    model: type[Model],
    columns: Sequence[Column],
    *,
    moment: str = "created_at",
    prepare: Callable[[QuerySet[Any]], QuerySet[Any]] = unchanged,
    records: Callable[[QuerySet[Any], str, DateRange], Iterator[Any]] = read_records,
) -> Source:
    """Return the source that the list of `model` is.

    `moment` is the time that the days of an export are about; "" for a list that has none.
    `prepare` gives the list's rows as the export reads them.
    """
    meta = model._meta

    def select(user: StaffUser, query: str, span: DateRange) -> tuple[QuerySet[Any], str]:
        listed = _filter_list(model, user, query)
        rows = span.narrow(listed.qs, moment) if moment else listed.qs
        return prepare(rows), listed.describe()

    return Source(
        name=meta.label_lower,
        title=str(meta.verbose_name_plural).capitalize(),
        permission=f"{meta.app_label}.view_{meta.model_name}",
        columns=columns,
        select=select,
        records=records,
        has_days=bool(moment),
    )


def _filter_list(model: type[Model], user: StaffUser, query: str) -> ListFilters:
    """What the list shows `user` under `query`, on all its pages."""
    if len(query) > _MAX_QUERY_LENGTH or query.count("&") > _MAX_PARAMETERS:
        raise InvalidRequest("The filter is too long")
    page: Any = admin.site.get_model_admin(model)
    listed: ListFilters = page.listed(user, QueryDict(query))
    if not listed.is_valid():
        raise InvalidRequest("The filter of the list is not valid")
    return listed
