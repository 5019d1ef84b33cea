"""Back-office lists as export sources: the rows a person sees under a query.

Filters, search and order are those of the list's `ModelAdmin`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import QueryDict

from exchange.admin.list_filters import ListFilters
from exchange.core.errors import InvalidRequest
from exchange.exports.sheets import SheetColumn
from exchange.exports.sources import DateRange, Source
from exchange.staff.models import StaffUser

_MAX_QUERY_LENGTH = 4_000
_MAX_PARAMETERS = 100
_CHUNK_ROWS = 1_000


def read_records(rows: QuerySet[Any], _query: str, _span: DateRange) -> Iterator[Any]:
    """Yield the records of `rows` through a server-side cursor."""
    return iter(rows.iterator(chunk_size=_CHUNK_ROWS))


def list_source(
    model: type[Model],
    columns: Sequence[SheetColumn],
    *,
    moment: str = "created_at",
    prepare: Callable[[QuerySet[Any]], QuerySet[Any]] = lambda rows: rows,
    records: Callable[[QuerySet[Any], str, DateRange], Iterator[Any]] = read_records,
) -> Source:
    """Return the export source of the list of `model`.

    `moment` is the field that the days of an export filter; "" for none. `prepare` adapts the
    list's rows for the export.
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
    """Return the list as `user` sees it under `query`, over all pages."""
    if len(query) > _MAX_QUERY_LENGTH or query.count("&") > _MAX_PARAMETERS:
        raise InvalidRequest("The filter is too long")
    page: Any = admin.site.get_model_admin(model)
    listed: ListFilters = page.listed(user, QueryDict(query))
    if not listed.is_valid():
        raise InvalidRequest("The filter of the list is not valid")
    return listed
