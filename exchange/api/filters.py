"""Filters by query parameters, shared by the lists of all apps (django-filter).

The filter set of a list is a `DatedFilters`, or a `ChangingFilters` where its records change. An
error for a bad value names the parameter. Unknown, empty and repeated parameters are rejected
before (`exchange.api.parameters`).
"""

import datetime as dt
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.dateparse import parse_date, parse_datetime
from drf_spectacular.drainage import set_override
from drf_spectacular.utils import extend_schema_field

from exchange.core.currencies import WALLET_CURRENCIES
from exchange.core.errors import InvalidCurrency
from exchange.core.ids import parse_id
from exchange.core.numbers import MAX_NUMBER, decimals_error
from exchange.core.references import same_ids
from exchange.core.text import match_choice

_INVALID_TIMESTAMP = "must be an ISO 8601 date, or a time with its offset"


_DAY, _MILLISECOND = dt.timedelta(days=1), dt.timedelta(milliseconds=1)


# Schema of a time; pattern of a text that is not blank and has no NUL characters.
MOMENT = {
    "anyOf": [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]
}


_TEXT = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"


_FORM = "an ISO 8601 date-time with its offset, or a date"


_FOREVER = dt.datetime.max.replace(tzinfo=dt.UTC)


FLAGS = {"true": True, "1": True, "false": False, "0": False}


# Stands for a malformed id: it matches no record.
_NO_ID = UUID(int=0)


class Parameter(forms.Field, ABC):
    """The value of a query parameter; None when absent."""

    def to_python(self, value: Any) -> Any:
        """Return the parsed value, or None for an empty one."""
        return None if value in self.empty_values else self.parse(str(value))

    @abstractmethod
    def parse(self, text: str) -> Any:
        """Return the value; raise `ValidationError` for an invalid one."""


class FlagParameter(Parameter):
    """`true` or `false` in any case, or `1` or `0`."""

    def parse(self, text: str) -> bool:
        """Return the flag."""
        try:
            return FLAGS[text.lower()]
        except KeyError:
            raise ValidationError("must be true or false") from None


class FlagFilter(django_filters.Filter):
    """Compares a boolean column; with a `default`, also when the parameter is absent."""

    field_class = FlagParameter

    def __init__(self, *args: Any, default: bool | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._default = default
        schema = {"type": "boolean"} if default is None else {"type": "boolean", "default": default}
        set_override(self, "field", schema)

    def filter(self, qs: QuerySet[Any], value: bool | None) -> QuerySet[Any]:
        """Return `qs` where the flag is `value`, or the default."""
        return super().filter(qs, self._default if value is None else value)


class ChoiceParameter(Parameter):
    """One of `allowed`, in any case; the result has the spelling in `allowed`."""

    def __init__(self, *, allowed: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.allowed = list(allowed)

    def parse(self, text: str) -> str:
        """Return the allowed value."""
        choice = match_choice(text, self.allowed)
        if choice is None:
            raise ValidationError(f"must be one of [{', '.join(self.allowed)}]")
        return choice


class EnumeratedFilter(django_filters.Filter):
    """Compares an enumerated column: `EnumeratedFilter(allowed=Status.values)`.

    `aliases` are lower-case spellings that the interface itself uses.
    """

    field_class = ChoiceParameter

    def __init__(
        self, *args: Any, allowed: Iterable[str], aliases: Iterable[str] = (), **kwargs: Any
    ) -> None:
        choices = [str(choice) for choice in allowed]
        super().__init__(*args, allowed=choices, **kwargs)
        self.aliases = list(aliases)
        set_override(self, "field", {"type": "string", "enum": choices})


class ChoicesParameter(ChoiceParameter):
    """Some of `allowed`, separated by commas."""

    def parse(self, text: str) -> list[str]:  # type: ignore[override]
        """Return the allowed values."""
        return [super(ChoicesParameter, self).parse(part.strip()) for part in text.split(",")]


class EnumeratedListFilter(EnumeratedFilter):
    """Compares an enumerated column with one value, or with several separated by commas."""

    field_class = ChoicesParameter

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, lookup_expr="in", **kwargs)
        values = "|".join(re.escape(choice) for choice in self.extra["allowed"])
        set_override(self, "field", {"type": "string", "pattern": f"^({values})(,({values}))*$"})


class CurrencyParameter(ChoiceParameter):
    """The code of a currency, with the interface's error."""

    def parse(self, text: str) -> str:
        """Return the code."""
        try:
            return super().parse(text)
        except ValidationError:
            error = InvalidCurrency(self.allowed)
            raise ValidationError(error.message, code=error.code) from None


class CurrencyFilter(EnumeratedFilter):
    """Compares a currency."""

    field_class = CurrencyParameter

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, allowed=WALLET_CURRENCIES, **kwargs)


class TextParameter(forms.Field):
    """Text of at most `max_length` characters; `strip` removes surrounding white space."""

    def __init__(self, *, max_length: int, strip: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_length = max_length
        self.strip = strip

    def to_python(self, value: Any) -> str:
        """Return the text; "" when absent."""
        text = "" if value in self.empty_values else str(value)
        if self.strip:
            text = text.strip()
        if "\x00" in text:
            raise ValidationError("must not contain NUL characters")
        if len(text) > self.max_length:
            raise ValidationError(f"must have at most {self.max_length} characters")
        return text


class TextFilter(django_filters.Filter):
    """Compares text: `TextFilter(max_length=40)`."""

    field_class = TextParameter

    def __init__(self, *args: Any, max_length: int, **kwargs: Any) -> None:
        super().__init__(*args, max_length=max_length, **kwargs)
        schema = {"type": "string", "pattern": _TEXT, "maxLength": max_length}
        set_override(self, "field", schema)


class OwnIdFilter(TextFilter):
    """Compares an ID of the client's own, without the white space around it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, strip=False, **kwargs)

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Return the rows with this ID."""
        return qs.filter(**{f"{self.field_name}__in": same_ids(value)}) if value else qs


class IdParameter(Parameter):
    """A record id; a malformed one matches nothing, like an unknown one."""

    def parse(self, text: str) -> UUID:
        """Return the id."""
        return parse_id(text) or _NO_ID


class IdFilter(django_filters.Filter):
    """Compares a record id."""

    field_class = IdParameter

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Without a format: a malformed id is not an error.
        set_override(self, "field", {"type": "string", "pattern": r"\S"})


class TimestampParameter(Parameter):
    """An ISO 8601 date-time with its offset, or a date (the whole day in UTC).

    Times are compared at the precision of the interface, `step`, so that a record is found at its
    printed time. With `end` the result is the first instant after the given time or day.
    """

    def __init__(self, *, step: dt.timedelta, end: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.step = step
        self.end = end

    def parse(self, text: str) -> dt.datetime:
        """Return the aware time."""
        # An unescaped plus sign arrives as a space.
        text = text.replace(" ", "+").upper()
        step = self.step
        try:
            moment = parse_datetime(text) if "T" in text else None
            day = parse_date(text) if moment is None else None
        except ValueError:
            moment = day = None
        if day is not None:
            moment = dt.datetime.combine(day, dt.time.min, dt.UTC)
            step = _DAY
        if moment is None or moment.tzinfo is None:
            raise ValidationError(_INVALID_TIMESTAMP)
        try:
            # PostgreSQL rejects offsets of 16 hours or more; Python allows up to 24.
            moment = moment.astimezone(dt.UTC)
        except OverflowError:
            raise ValidationError(_INVALID_TIMESTAMP) from None
        begin = moment - dt.timedelta(microseconds=moment.microsecond) % step
        if not self.end:
            return begin
        return begin + step if begin <= _FOREVER - step else _FOREVER


class TimestampFilter(django_filters.Filter):
    """Compares a time with an inclusive bound: see `FromFilter` and `ToFilter`."""

    field_class = TimestampParameter

    end: ClassVar[bool]
    description: ClassVar[str]

    def __init__(self, field_name: str, step: dt.timedelta = _MILLISECOND) -> None:
        lookup = "lt" if self.end else "gte"
        super().__init__(
            field_name, lookup, step=step, end=self.end, help_text=self.description.format(_FORM)
        )
        set_override(self, "field", MOMENT)


class FromFilter(TimestampFilter):
    """This time or later: `FromFilter("created_at")`."""

    end = False
    description = "From this time, inclusive: {} (the start of its day in UTC)"


class ToFilter(TimestampFilter):
    """This time or earlier: `ToFilter("created_at")`."""

    end = True
    description = "To this time, inclusive: {} (the end of its day in UTC)"


class DatedFilters(django_filters.FilterSet):
    """Base filter set of lists of records with a creation time."""

    created_from = FromFilter("created_at")
    created_to = ToFilter("created_at")


class ChangingFilters(DatedFilters):
    """Base filter set of lists of records that change."""

    updated_from = FromFilter("updated_at")
    updated_to = ToFilter("updated_at")


_PLAIN = re.compile(r"[0-9]{1,16}(\.[0-9]{1,8})?", re.ASCII)


# The most decimals of any currency.
_DECIMALS = 2


def parse_amount(text: str) -> Decimal | None:
    """Return the amount in a query parameter, from 0 to 10^15 in plain notation, or None."""
    if not _PLAIN.fullmatch(text):
        return None
    amount = Decimal(text)
    return amount if amount <= MAX_NUMBER else None


class AmountParameter(Parameter):
    """An amount in plain notation."""

    def parse(self, text: str) -> Decimal:
        """Return the amount."""
        amount = parse_amount(text)
        if amount is None:
            raise ValidationError("must be a number such as 1000 or 90.02")
        if problem := decimals_error(amount, _DECIMALS):
            raise ValidationError(problem)
        return amount


@extend_schema_field(
    {"type": "number", "minimum": 0, "maximum": int(MAX_NUMBER), "multipleOf": 10**-_DECIMALS}
)
class AmountFilter(django_filters.Filter):
    """Compares an amount: `AmountFilter("amount", lookup_expr="gte")`."""

    field_class = AmountParameter
