"""The rows of a list by a person and a query: which there are, which are found, in which order.

Django's list asks for the same by a request, in `exchange.admin.base`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Q, QuerySet, UUIDField
from django.http import QueryDict

from exchange.admin.list_filters import ListFilters
from exchange.admin.search import amount_condition, recent_condition
from exchange.core.ids import parse_id

if TYPE_CHECKING:
    from exchange.staff.models import StaffUser

    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = object


class Listing(ModelAdmin):
    """For a ModelAdmin: its list without a request."""

    # What the list is narrowed by, unless it has a `list_filter` of Django's.
    filters: type[ListFilters] = ListFilters
    # Columns that an id typed into the search box is looked for in, by their indexes; without any,
    # a record's own id.
    id_fields: Sequence[str] = ()
    # Columns that a typed amount is looked for in; among records of late where a list is `long`.
    amount_fields: Sequence[str] = ()
    long = False

    def rows(self, user: StaffUser) -> QuerySet[Any]:
        """Return the records that `user` sees, with the others that the list shows of them."""
        rows: QuerySet[Any] = self.model._default_manager.all()
        shown: Any = self.list_select_related
        return rows.select_related(*shown) if shown else rows

    def listed(self, user: StaffUser, query: QueryDict) -> ListFilters:
        """Return the filters of the list under `query`; `qs` is what it shows on all pages."""
        rows = self.rows(user).order_by(*self.order_by(query))
        return self.filters(query, rows, user=user, search=self.search)

    def search(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """Return what `term` finds of `rows`: by id when it is an id, else by the words of
        `search_fields` and by what `exact_match` finds.
        """
        wanted = parse_id(term)
        own_id = ("pk",) if isinstance(self.opts.pk, UUIDField) else ()
        if wanted is not None and (fields := self.id_fields or own_id):
            return rows.filter(Q.create([(name, wanted) for name in fields], connector=Q.OR))
        # Django asks the request for nothing but `search_fields`, which no list makes depend on it.
        found, repeated = admin.ModelAdmin.get_search_results(self, None, rows, term)  # type: ignore[arg-type]
        exact = self.exact_match(term)
        found = found if exact is None else found | rows.filter(exact)
        return found.distinct() if repeated else found

    def exact_match(self, term: str) -> Q | None:
        """Return what `term` finds as a whole, such as an amount; None when it finds nothing so."""
        found = amount_condition(term, self.amount_fields)
        return found & recent_condition() if self.long and found is not None else found

    def default_order(self, query: Mapping[str, str]) -> tuple[str, ...]:
        """Return the columns by which the list is in order under `query`, where none is chosen."""
        columns: Any = self.ordering or self.opts.ordering
        return tuple(columns or ())

    def order_by(self, query: Mapping[str, str]) -> list[str]:
        """Return the columns that `o` chooses, as the headings of the list write it, or the list's
        own; one that no two records share among them.
        """
        chosen = [self._sorted_by(part) for part in query.get("o", "").split(".")]
        columns = [name for name in chosen if name] or [*self.default_order(query)]
        single = {"pk", *(f.name for f in self.opts.fields if f.unique and not f.null)}
        return columns if single & {name.lstrip("-") for name in columns} else [*columns, "-pk"]

    def _sorted_by(self, part: str) -> str:
        """Return the column of a heading by its number, with "-" in front from the last one on."""
        _, minus, number = part.rpartition("-")
        headings = {str(place): str(name) for place, name in enumerate(self.list_display)}
        name = headings.get(number, "")
        if name not in {field.name for field in self.opts.fields}:
            name = getattr(getattr(self, name, None), "admin_order_field", None) or ""
        return (name[1:] if name.startswith("-") else f"-{name}") if minus and name else name
