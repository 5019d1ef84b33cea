"""Filters by query parameters, with the rules that every list follows (django-filter).

`FlagFilter`, `ChoiceFilter`, `IdFilter` and `MomentFilter` are shared by the lists of all apps;
the filter sets below are for the lists of participants and tokens. A bad value is refused with a
message that names the parameter; an empty one is no filter.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import django_filters
from django import forms
from django.contrib.postgres.search import SearchQuery
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.dateparse import parse_date, parse_datetime
from drf_spectacular.drainage import set_override

from exchange.ids import parse_id
from exchange.models import (
    Event,
    InvestmentCategory,
    InvestmentType,
    Member,
    Token,
    TokenType,
)
from exchange.models.events import EventStatus
from exchange.payloads import EVENT_TYPES

_NO_MOMENT = "must be an ISO 8601 date, or a time with its offset"
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
# Of wallets and of tokens, in the interface's order.
CURRENCIES = ("NGN", "KES", "GHS", "ZAR", "UGX", "TZS", "USD")
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
    """Compares a boolean column; with a `default`, also when the parameter is absent."""

    field_class = FlagField

    def __init__(self, *args: Any, default: bool | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._default = default
        schema = {"type": "boolean"} if default is None else {"type": "boolean", "default": default}
        set_override(self, "field", schema)

    def filter(self, qs: QuerySet[Any], value: bool | None) -> QuerySet[Any]:
        """`qs` where the flag is `value`."""
        return super().filter(qs, self._default if value is None else value)


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


class WordsQuery(SearchQuery):
    """What `name_words` (SQL) makes of a text: its words, each the beginning of a word of a name.

    A text without a letter or a digit finds nothing.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.function = "name_words"


class TokenKindFilters(django_filters.FilterSet):
    """What both lists of tokens are filtered by."""

    private = FlagFilter(method="of_type", help_text="Whether `type` is Private or Public")
    investment_type = ChoiceFilter(allowed=InvestmentType.values)

    class Meta:
        model = Token
        fields: tuple[str, ...] = ()

    def of_type(self, tokens: QuerySet[Token], _name: str, private: bool) -> QuerySet[Token]:
        """Tokens of one type."""
        return tokens.filter(type=TokenType.PRIVATE if private else TokenType.PUBLIC)


class ActiveTokenFilters(TokenKindFilters):
    """Active tokens by state, kind and currency."""

    closed = FlagFilter(default=False, help_text="Whether it takes no new orders")
    exited = FlagFilter(default=False, help_text="Whether investors have exited")
    primary_raise = FlagFilter(
        method="of_market",
        help_text="`true`: still in primary raise, open to all investors; `false`: in secondaries",
    )
    currency = ChoiceFilter(field_name="currency_id", allowed=CURRENCIES)

    def of_market(self, tokens: QuerySet[Token], _name: str, primary: bool) -> QuerySet[Token]:
        """Tokens that are still raising, or those that holders trade."""
        return tokens.filter(completed_raise=False) if primary else tokens.filter(secondaries=True)


class TokenSearchFilters(TokenKindFilters):
    """All tokens by name, symbol, state and kind."""

    name = django_filters.CharFilter(
        method="of_name",
        max_length=200,
        help_text="Beginnings of words of the name, in any order and any case",
    )
    symbol = django_filters.CharFilter(
        lookup_expr="istartswith", max_length=20, help_text="Beginning of the symbol, in any case"
    )
    exited = FlagFilter(help_text="Whether investors have exited")
    completed_raise = FlagFilter(help_text="Whether the raise is complete")
    investment_category = ChoiceFilter(allowed=InvestmentCategory.values)

    def of_name(self, tokens: QuerySet[Token], _name: str, text: str) -> QuerySet[Token]:
        """Tokens whose name has words that begin so."""
        return tokens.filter(words=WordsQuery(text))
