"""List filters: one query parameter each, with the condition of its value.

Filters take a query and a user, not a request, so lists and their exports share them. An invalid
value yields no rows rather than all, because people act on what a list shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import django_filters
from django import forms
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import NotRelationField, get_fields_from_path
from django.contrib.admin.views.main import IGNORED_PARAMS, ChangeList
from django.core.exceptions import FieldDoesNotExist
from django.db.models import DateTimeField, Model, Q, QuerySet
from django.http import HttpRequest, QueryDict

from exchange.admin.fields import AmountInput, DatePickerField
from exchange.admin.saved_views import count_views
from exchange.core.currencies import currencies
from exchange.core.ids import first_id_at

if TYPE_CHECKING:
    from exchange.staff.models import StaffUser

Choices = Sequence[tuple[str, str]]

# Parameters of Django's lists that are not filters: page, sorting, suggestions.
_PAGING = frozenset({*IGNORED_PARAMS, "p", "e", "_changelist_filters"})
# Ids are generated before the transaction time of their row.
_MARGIN = timedelta(hours=1)


class ListFilter(django_filters.Filter):
    """One query parameter: a field comparison, or a `condition` on its value.

    `title` is its heading; adjacent filters with the same title share one form. A filter without a
    title is used by links and not offered.
    """

    parent: ListFilters

    def __init__(
        self,
        field_name: str | None = None,
        lookup_expr: str = "exact",
        *,
        title: str = "",
        field: type[forms.Field] = forms.CharField,
        condition: Callable[[Any], Q] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(field_name, lookup_expr, **kwargs)
        self.title = title
        self.field_class = field
        self.condition = condition

    def __deepcopy__(self, memo: object) -> ListFilter:
        """Return a shallow copy for one query."""
        return copy(self)

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        """Return the rows matching `value`; all rows without one."""
        if self.condition is None or value in (None, ""):
            return super().filter(qs, value)
        return qs.filter(self.condition(value))


class ChoiceFilter(ListFilter):
    """A choice of labelled values, offered as links."""

    def __init__(
        self,
        field_name: str | None = None,
        choices: Choices | Callable[[], Choices] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(field_name, field=forms.ChoiceField, **kwargs)
        self._choices = choices

    @property
    def choices(self) -> Choices:
        """The values offered to the user."""
        return self._choices() if callable(self._choices) else self._choices

    @property
    def field(self) -> forms.Field:
        return forms.ChoiceField(choices=self.choices, required=False)


class OptionFilter(ChoiceFilter):
    """A choice of functions on the rows: value, label, function."""

    def __init__(
        self, title: str, *options: tuple[str, str, Callable[[QuerySet[Any]], QuerySet[Any]]]
    ) -> None:
        super().__init__(choices=[(value, label) for value, label, _ in options], title=title)
        self._functions = {value: leave for value, _, leave in options}

    def filter(self, qs: QuerySet[Any], value: Any) -> QuerySet[Any]:
        return self._functions[value](qs) if value else qs


def id_filter(field_name: str) -> ListFilter:
    """Return a filter for links: records whose `field_name` is an id."""
    return ListFilter(field_name, field=forms.UUIDField)


def currency_filter(column: str = "currency", *, title: str = "currency") -> ListFilter:
    """Return a filter on a wallet currency."""
    return ChoiceFilter(column, lambda: [(code, code) for code in currencies()], title=title)


def day_field(label: str) -> dict[str, Any]:
    """Return the options of a date filter's field."""
    return {
        "field": DatePickerField,
        "label": label,
    }


def day_range(
    column: str = "created_at",
    id_column: str = "id",
    *,
    title: str = "day (UTC)",
    labels: tuple[str, str] = ("From", "To"),
) -> tuple[ListFilter, ListFilter]:
    """Return inclusive from and to filters on the UTC day of `column`.

    Ids follow time, so a range of days is also a range of `id_column`, which is indexed. Pass ""
    where ids do not follow `column`.
    """

    def bound(lookup: str, at: datetime, margin: timedelta) -> Q:
        times = Q(**{f"{column}__{lookup}": at})
        ids = Q(**{f"{id_column}__{lookup}": first_id_at(at + margin)}) if id_column else Q()
        return times & ids

    def since(day: date) -> Q:
        return bound("gte", datetime.combine(day, time.min, UTC), -_MARGIN)

    def until(day: date) -> Q:
        return bound("lt", datetime.combine(day, time.min, UTC) + timedelta(days=1), _MARGIN)

    first, last = labels
    return (
        ListFilter(title=title, condition=since, **day_field(first)),
        ListFilter(title=title, condition=until, **day_field(last)),
    )


def amount_field(label: str) -> dict[str, Any]:
    """Return the options of an amount filter's field."""
    return {"field": AmountInput, "label": label, "widget": forms.TextInput({"size": 12})}


def amount_range(column: str = "amount", title: str = "amount") -> tuple[ListFilter, ListFilter]:
    """Return inclusive from and to filters on the absolute amount."""

    def least(amount: Decimal) -> Q:
        return Q(**{f"{column}__gte": amount}) | Q(**{f"{column}__lte": -amount})

    def most(amount: Decimal) -> Q:
        return Q(**{f"{column}__range": (-amount, amount)})

    return (
        ListFilter(title=title, condition=least, **amount_field("From")),
        ListFilter(title=title, condition=most, **amount_field("To")),
    )


class ListFilters(django_filters.FilterSet):
    """All filters of a list, applied to one query for one user.

    `qs` is the filtered rows, empty if a parameter is invalid. `search` handles the search term,
    parameter `q`.
    """

    q = ListFilter()

    def __init__(
        self,
        query: QueryDict,
        rows: QuerySet[Any],
        *,
        user: StaffUser,
        search: Callable[[QuerySet[Any], str], QuerySet[Any]],
    ) -> None:
        super().__init__(query, rows)
        self.query = query
        self.user = user
        self.search = search
        values = ((name, query.get(name, "").strip()) for name in self.filters)
        self.used_values = {name: value for name, value in values if value}

    def is_valid(self) -> bool:
        """Return whether each parameter is a known filter, given once, with a valid value."""
        names = set(self.query) - _PAGING
        once = all(len(self.query.getlist(name)) == 1 for name in names)
        return once and names <= self.filters.keys() and super().is_valid()

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows matching the filters and the search."""
        if not self.is_valid():
            return queryset.none()
        values = dict(self.form.cleaned_data)
        if term := values.pop("q"):
            queryset = self.search(queryset, term)
        for name, value in values.items():
            queryset = self.filters[name].filter(queryset, value)
        return queryset

    @property
    def groups(self) -> list[FilterGroup]:
        """The filters that the list offers."""
        return [group for group in self._all_groups() if group.title]

    def describe(self) -> str:
        """Return the applied filters as text, with the list's labels."""
        texts = [text for group in self._all_groups() for text in group.describe()]
        if "q" in self.used_values:
            texts.append(f'search: "{self.used_values["q"]}"')
        return "; ".join(texts)

    def _all_groups(self) -> Iterator[FilterGroup]:
        declared: dict[str, Any] = {**self.filters}
        del declared["q"]
        for title, names in groupby(declared, lambda name: declared[name].title):
            yield FilterGroup(self, title, list(names))


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """Filters sharing a title, rendered by one template."""

    filters: ListFilters
    title: str
    names: Sequence[str]

    @property
    def _choice(self) -> ChoiceFilter | None:
        first = self.filters.filters[self.names[0]]
        return first if isinstance(first, ChoiceFilter) else None

    @property
    def template(self) -> str:
        """The template that renders the group."""
        return "admin/filter.html" if self._choice else "admin/range_filter.html"

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """Yield one link per choice, or a single form."""
        if self._choice is None:
            yield {
                "form": [self.filters.form[name] for name in self.names],
                "others": {
                    name: value
                    for name, value in self.filters.query.items()
                    if name not in {*self.names, "p", "e"}
                },
            }
            return
        (name,) = self.names
        for value, label in [("", "All"), *self._choice.choices]:
            yield {
                "selected": self.filters.used_values.get(name, "") == value,
                "query_string": changelist.get_query_string({name: value or None}),
                "display": label,
            }

    def describe(self) -> Iterator[str]:
        """Yield the applied filters in words."""
        used = self.filters.used_values
        for name in sorted(used.keys() & set(self.names)):
            if self._choice and self.title:
                yield f"{self.title}: {dict(self._choice.choices).get(used[name], used[name])}"
            else:
                yield f"{name}: {used[name]}"


class DjangoFilteredList(ChangeList):
    """Django's change list with its own filters; empty if the value of one is invalid."""

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """Return the parameters of the filters; a time or day without a zone is one of UTC."""
        found: dict[str, Any] = super().get_filters_params(params)
        for name, values in found.items():
            path, _, lookup = name.rpartition("__")
            if lookup in {"gte", "lt"} and _is_time(self.model, path):
                found[name] = [_in_utc(value) for value in values]
        return found

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        try:
            return super().get_queryset(request, exclude_parameters)
        except (IncorrectLookupParameters, ValueError, OverflowError):
            # Nothing is selected, for the links of the filters.
            self.params, self.filter_params = {}, {}
            return super().get_queryset(request, exclude_parameters).none()


def _is_time(model: type[Model], path: str) -> bool:
    try:
        return isinstance(get_fields_from_path(model, path)[-1], DateTimeField)
    except (FieldDoesNotExist, NotRelationField):
        return False


def _in_utc(text: str) -> str:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if at.tzinfo else at.replace(tzinfo=UTC).isoformat()


class FilteredList(ChangeList):
    """Django's change list, driven by a `ListFilters`."""

    @cached_property
    def views(self) -> list[dict[str, Any]]:
        """The saved views that the user has, with their counts."""
        return count_views(self.model_admin, self.filters.user, self.filters.query)

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        page: Any = self.model_admin
        self.filters: ListFilters = page.listed(request.user, request.GET)
        groups: list[Any] = self.filters.groups
        self.filter_specs = groups
        self.has_filters = bool(groups)
        offered = [name for group in groups for name in group.names]
        self.has_active_filters = not self.filters.used_values.keys().isdisjoint(offered)
        self.clear_all_filters_qs = self.get_query_string(dict.fromkeys(offered))
        rows: Any = self.filters.qs
        return rows if rows.query.select_related else self.apply_select_related(rows)
