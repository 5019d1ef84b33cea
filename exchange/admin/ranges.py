"""Filters of lists from one value to another: days and amounts, as two fields and a button.

Lists are ordered by ids that follow time, so a range of days is also a range of ids, which has an
index everywhere. A value that cannot be read shows nothing rather than everything.
"""

from __future__ import annotations

from abc import abstractmethod
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import Q, QuerySet

from exchange.admin.form_filters import FormFilter
from exchange.core.ids import first_id_at

# An id is made before its row, and the row's time is that of its transaction's beginning.
_MARGIN = timedelta(hours=1)


class RangeFilter(FormFilter):
    """Two fields, `<name>_from` and `<name>_to`; a subclass makes the condition."""

    @abstractmethod
    def make_field(self, label: str) -> forms.Field:
        """One of the two."""

    @abstractmethod
    def condition(self, first: Any, last: Any) -> Q:
        """Rows from `first` to `last`; either may be None."""

    def fields(self) -> dict[str, forms.Field]:
        """Both."""
        return {f"{self.name}_{end}": self.make_field(end.capitalize()) for end in ("from", "to")}

    def narrow(self, queryset: QuerySet[Any], values: dict[str, Any]) -> QuerySet[Any]:
        """The rows in the range."""
        first, last = (values[name] for name in self.fields())
        return queryset.filter(self.condition(first, last))


class DayRange(RangeFilter):
    """Days in UTC, both included, of `column`; ids are those of `id_column`."""

    title = "day (UTC)"
    name = "day"
    column = "created_at"
    id_column = "id"

    def make_field(self, label: str) -> forms.Field:
        """A day."""
        return forms.DateField(
            label=label, required=False, widget=forms.DateInput(attrs={"type": "date"})
        )

    def condition(self, first: date | None, last: date | None) -> Q:
        """By time, and by id within a margin."""
        wanted = Q()
        if first is not None:
            start = datetime.combine(first, time.min, UTC)
            wanted &= Q(
                **{
                    f"{self.column}__gte": start,
                    f"{self.id_column}__gte": first_id_at(start - _MARGIN),
                }
            )
        if last is not None:
            end = datetime.combine(last, time.min, UTC) + timedelta(days=1)
            wanted &= Q(
                **{f"{self.column}__lt": end, f"{self.id_column}__lt": first_id_at(end + _MARGIN)}
            )
        return wanted


class AmountRange(RangeFilter):
    """Amounts of `column`, both included, whichever way they went."""

    title = "amount"
    name = "amount"
    column = "amount"

    def make_field(self, label: str) -> forms.Field:
        """An amount."""
        return forms.DecimalField(
            label=label,
            required=False,
            min_value=0,
            max_digits=38,
            decimal_places=8,
            widget=forms.TextInput(attrs={"inputmode": "decimal", "size": 12}),
        )

    def condition(self, first: Any, last: Any) -> Q:
        """By size."""
        wanted = Q()
        if first is not None:
            wanted &= Q(**{f"{self.column}__gte": first}) | Q(**{f"{self.column}__lte": -first})
        if last is not None:
            wanted &= Q(**{f"{self.column}__range": (-last, last)})
        return wanted
