"""Filters by query parameters, with the rules that every list follows (django-filter).

`FlagFilter`, `ChoiceFilter`, `IdFilter` and `MomentFilter` are shared by the lists of all apps;
the filter sets below are for the lists of participants. A bad value is refused with a message
that names the parameter; an empty one is no filter.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_date, parse_datetime
from drf_spectacular.drainage import set_override

from exchange.ids import parse_id
from exchange.models import Event, Member
from exchange.models.events import EventStatus
from exchange.payloads import EVENT_TYPES

_NO_MOMENT = "must be an ISO 8601 date, or a time with its offset"
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
# No id at all: what a malformed one is compared to, so that it matches nothing.
_NO_ID = UUID(int=0)


class FlagField(forms.Field):
    """`true` or `false` in any case, or `1` or `0`."""

    def to_python(self, value: Any) -> bool | None:
        """The flag; None when absent."""
        if value in self.empty_values:
            return None
        try:
            return _FLAGS[str(value).lower()]
        except KeyError:
            raise ValidationError("must be true or false") from None


class FlagFilter(django_filters.Filter):
    """Compares a boolean column."""

    field_class = FlagField


class ChoiceField(forms.Field):
    """One of `allowed`, in any case; the value is the spelling in `allowed`."""

    def __init__(self, *, allowed: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.allowed = list(allowed)

    def to_python(self, value: Any) -> str | None:
        """The allowed value; None when absent."""
        if value in self.empty_values:
            return None
        wanted = str(value).casefold()
        for choice in self.allowed:
            if choice.casefold() == wanted:
                return choice
        raise ValidationError(f"must be one of [{', '.join(self.allowed)}]")


class ChoiceFilter(django_filters.Filter):
    """Compares a column of enumerated values: `ChoiceFilter(allowed=Status.values)`."""

    field_class = ChoiceField

    def __init__(self, *args: Any, allowed: Iterable[str], **kwargs: Any) -> None:
        choices = [str(choice) for choice in allowed]
        super().__init__(*args, allowed=choices, **kwargs)
        set_override(self, "field", {"type": "string", "enum": choices})


class IdField(forms.Field):
    """A record id. A malformed one is an unknown one: it matches nothing."""

    def to_python(self, value: Any) -> UUID | None:
        """The id; None when absent."""
        if value in self.empty_values:
            return None
        return parse_id(str(value)) or _NO_ID


class IdFilter(django_filters.Filter):
    """Compares a record id."""

    field_class = IdField


class MomentField(forms.Field):
    """An ISO 8601 date-time with its offset, or a date (its first instant in UTC)."""

    def to_python(self, value: Any) -> dt.datetime | None:
        """The aware time; None when absent."""
        if value in self.empty_values:
            return None
        # A plus sign that the client did not escape arrives as a space.
        text = str(value).replace(" ", "+")
        try:
            moment = parse_datetime(text) if "T" in text else None
            day = parse_date(text) if moment is None else None
        except ValueError:
            moment = day = None
        if day is not None:
            moment = dt.datetime.combine(day, dt.time.min, dt.UTC)
        if moment is None or moment.tzinfo is None:
            raise ValidationError(_NO_MOMENT)
        try:
            # The database takes no offset of 16 hours or more; Python's go up to 24.
            return moment.astimezone(dt.UTC)
        except OverflowError:
            raise ValidationError(_NO_MOMENT) from None


class MomentFilter(django_filters.Filter):
    """Compares a time: `MomentFilter("created_at", lookup_expr="gte")`."""

    field_class = MomentField


class MemberFilters(django_filters.FilterSet):
    """Members by email address or by the organisation's own id."""

    email = django_filters.CharFilter(lookup_expr="iexact", max_length=254)
    external_id = django_filters.CharFilter(lookup_expr="exact", max_length=100)

    class Meta:
        model = Member
        fields: tuple[str, ...] = ()


class EventFilters(django_filters.FilterSet):
    """Events by type, status, the record they are about, and when they happened."""

    type = ChoiceFilter(allowed=EVENT_TYPES)
    status = ChoiceFilter(allowed=EventStatus.values)
    subject_id = IdFilter()
    created_from = MomentFilter("created_at", lookup_expr="gte")
    created_to = MomentFilter("created_at", lookup_expr="lte")

    class Meta:
        model = Event
        fields: tuple[str, ...] = ()
