"""The rows of a list for a user and a query: visibility, search and order.

Independent of requests, so exports can use it; `exchange.admin.base` adapts it to Django's list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Q, QuerySet, UUIDField
from django.http import QueryDict

from exchange.admin.list_filters import ListFilters
from exchange.admin.paging import bounded_counts
from exchange.admin.saved_views import SavedView
from exchange.admin.search import amount_condition, recent_condition
from exchange.core.ids import parse_id

if TYPE_CHECKING:
    from exchange.staff.models import StaffUser


class DecisionQueue(Protocol):
    """The records of a list that await a decision, for users with `permission`."""

    @property
    def permission(self) -> str:
        """The permission to decide."""

    def awaiting_approval_by(self, rows: QuerySet[Any], user: StaffUser) -> QuerySet[Any]:
        """Return the rows that `user` may decide."""


class RowListing(admin.ModelAdmin):  # type: ignore[type-arg] # not generic when it runs
    """ModelAdmin mixin: the list without a request."""

    # The list's filters, unless it uses Django's `list_filter`.
    filters: type[ListFilters] = ListFilters
    # Indexed columns searched for an id; by default the record's own id.
    id_fields: Sequence[str] = ()
    # Indexed columns searched for a whole text as it was typed.
    text_fields: Sequence[str] = ()
    # Columns searched for an amount; only among recent records where the list is `long`.
    amount_fields: Sequence[str] = ()
    long = False
    # Named filters above the list.
    saved_views: Sequence[SavedView] = ()
    # The query of the list of all records that await the user's decision.
    queue_query: Mapping[str, str] = {"decision": "awaiting_my_approval"}

    @property
    def queue(self) -> DecisionQueue | None:
        """The queue of the list, by default that of its filter `decision`."""
        return getattr(self.filters.base_filters.get("decision"), "queue", None)

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        """Return the records visible to `user`, with the related records the list displays."""
        rows: QuerySet[Any] = self.model._default_manager.all()
        related: Any = self.list_select_related
        return rows.select_related(*related) if related else rows

    def listed(self, user: StaffUser, query: QueryDict) -> ListFilters:
        """Return the list's filters applied to `query`; `qs` holds the rows of all pages."""
        rows = self.rows(user).order_by(*self.order_by(query))
        return self.filters(query, rows, user=user, search=self.search)

    def counts(self, user: StaffUser, views: Sequence[SavedView]) -> list[int]:
        """Return the number of records of each saved view, at most `COUNT_LIMIT`."""
        queries = [QueryDict(urlencode(view.query)) for view in views]
        return bounded_counts([self.listed(user, query).qs for query in queries])

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Return the rows matching `term`: by `text_fields`, and by id if it is one, else by
        `search_fields` and `exact_match`.
        """
        texts: list[Any] = [(name, term) for name in self.text_fields]
        record_id = parse_id(term)
        own_id = ("pk",) if isinstance(self.opts.pk, UUIDField) else ()
        if record_id is not None and (fields := self.id_fields or own_id):
            texts += [(name, record_id) for name in fields]
            return rows.filter(Q.create(texts, connector=Q.OR))
        # Django uses the request only for `search_fields`, which are the same for all requests.
        found, repeated = admin.ModelAdmin.get_search_results(self, None, rows, term)  # type: ignore[arg-type]
        exact = self.exact_match(term)
        found = found if exact is None else found | rows.filter(exact)
        found = found | rows.filter(Q.create(texts, connector=Q.OR)) if texts else found
        return found.distinct() if repeated else found

    def get_search_fields(self, request: Any) -> list[str]:
        """Return `search_fields`, of which names are compared without accents and apostrophes."""
        fields = super().get_search_fields(request)
        return [f"{name}__folded" if name.endswith("name") else name for name in fields]

    def exact_match(self, term: str) -> Q | None:
        """Return the condition for `term` as a whole value such as an amount, or None."""
        found = amount_condition(term, self.amount_fields)
        return found & recent_condition() if self.long and found is not None else found

    def default_order(self, query: Mapping[str, str]) -> tuple[str, ...]:
        """Return the columns that order the list when `query` chooses none."""
        columns: Any = self.ordering or self.opts.ordering
        return tuple(columns or ())

    def order_by(self, query: Mapping[str, str]) -> list[str]:
        """Return the columns chosen by the parameter `o`, or the default order.

        A unique column is appended if none is included, so the order is total.
        """
        chosen = [self._sorted_by(part) for part in query.get("o", "").split(".")]
        columns = [name for name in chosen if name] or [*self.default_order(query)]
        single = {"pk", *(f.name for f in self.opts.fields if f.unique and not f.null)}
        return columns if single & {name.lstrip("-") for name in columns} else [*columns, "-pk"]

    def _sorted_by(self, part: str) -> str:
        """Return the column of a heading number; "-" prefixes a descending order."""
        _, minus, number = part.rpartition("-")
        headings = {str(place): str(name) for place, name in enumerate(self.list_display)}
        name = headings.get(number, "")
        if name not in {field.name for field in self.opts.fields}:
            name = getattr(getattr(self, name, None), "admin_order_field", None) or ""
        return (name[1:] if name.startswith("-") else f"-{name}") if minus and name else name
