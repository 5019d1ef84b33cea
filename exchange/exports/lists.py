"""Lists of the back office as sources of exports: the rows that a person sees under a query.

The list's own filters, search and order decide; they are those of its `ModelAdmin`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.html import strip_tags

from exchange.core.errors import InvalidRequest
from exchange.exports.sheets import Column
from exchange.exports.sources import Source, Span
from exchange.staff.models import StaffUser

_MOST_QUERY = 4_000
_READ_AT_ONCE = 1_000


def read_records(rows: QuerySet[Any], _query: str, _span: Span) -> Iterator[Any]:
    """Give the records of `rows`, one by one, by a cursor of the server."""
    return iter(rows.iterator(chunk_size=_READ_AT_ONCE))


def as_listed(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Give `rows` in the list's own order, with what its columns need."""
    return rows


def filter_in_words(listed: Any) -> str:
    """The filter in force, as the list's own filters call it."""
    given = {name: value for name, value in listed.params.items() if value}
    said, known = [], {"q", "o"}
    for spec in listed.filter_specs:
        names = set(spec.expected_parameters()) & given.keys()
        known |= set(spec.expected_parameters())
        # The first choice of a filter is to leave everything.
        chosen = [
            strip_tags(str(choice["display"]))
            for place, choice in enumerate(spec.choices(listed))
            if choice.get("selected") and "display" in choice and (place or names)
        ]
        if chosen:
            said.append(f"{spec.title}: {', '.join(chosen)}")
        else:
            said += [f"{name}: {given[name]}" for name in sorted(names)]
    said += [f"{name}: {given[name]}" for name in sorted(given.keys() - known)]
    if listed.query:
        said.append(f'search: "{listed.query}"')
    return "; ".join(said)


def list_source(
    model: type[Model],
    columns: Sequence[Column],
    *,
    moment: str = "created_at",
    prepare: Callable[[QuerySet[Any]], QuerySet[Any]] = as_listed,
    records: Callable[[QuerySet[Any], str, Span], Iterator[Any]] = read_records,
    words: Callable[[Any], str] = filter_in_words,
) -> Source:
    """Return the source that the list of `model` is.

    `moment` is the time that the days of an export are about; "" for a list that has none.
    `prepare` gives the list's rows as the export reads them, `words` its filter as people call it.
    """
    meta = model._meta

    def select(user: StaffUser, query: str, span: Span) -> tuple[QuerySet[Any], str]:
        listed = _listed(model, user, query)
        rows = span.narrow(listed.queryset, moment) if moment else listed.queryset
        return prepare(rows), words(listed)

    return Source(
        name=meta.label_lower,
        title=str(meta.verbose_name_plural).capitalize(),
        permission=f"{meta.app_label}.view_{meta.model_name}",
        columns=columns,
        select=select,
        records=records,
        has_days=bool(moment),
    )


def _listed(model: type[Model], user: StaffUser, query: str) -> Any:
    """What the list shows `user` under `query`, on all its pages."""
    if len(query) > _MOST_QUERY:
        raise InvalidRequest("The filter is too long")
    page: Any = admin.site.get_model_admin(model)
    # The filters of a ModelAdmin read their query and the person from a request.
    request = HttpRequest()
    request.method = "GET"
    request.GET = QueryDict(query)
    request.user = user
    request.path = page.address("changelist")
    try:
        return page.get_changelist_instance(request)
    except (IncorrectLookupParameters, SuspiciousOperation, ValidationError, ValueError):
        raise InvalidRequest("The filter of the list is not valid") from None
