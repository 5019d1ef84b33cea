"""Strict serializer fields: values of another type are rejected, not converted."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.core.validators import EmailValidator
from drf_spectacular.drainage import has_override, set_override
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.core.countries import COUNTRIES
from exchange.core.currencies import PAYOUT_CURRENCIES, currencies, payout_currencies
from exchange.core.errors import InvalidCurrency
from exchange.core.numbers import (
    MAX_NUMBER,
    TOKEN_DECIMALS,
    InvalidNumber,
    decimals_error,
    parse_number,
)
from exchange.core.text import is_invisible, line_problem, match_choice

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def validate_decimals(number: Decimal, decimals: int) -> None:
    """Raise a validation error if `number` has more decimals than its asset."""
    if problem := decimals_error(number, decimals):
        raise serializers.ValidationError(problem)


class NumberField(serializers.Field[Decimal, Any, Any, Any]):
    """An exact JSON number from 0 to 10^15, with at most `decimals` decimals where given."""

    def __init__(self, *, decimals: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.decimals = decimals
        if not has_override(self, "field"):  # of a subclass
            step = {} if decimals is None else {"multipleOf": 10**-decimals}
            schema = {"type": "number", "minimum": 0, "maximum": int(MAX_NUMBER), **step}
            set_override(self, "field", schema)

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the number; reject anything else, also strings and booleans."""
        try:
            number = parse_number(data)
        except InvalidNumber as error:
            raise serializers.ValidationError(str(error)) from error
        if self.decimals is not None:
            validate_decimals(number, self.decimals)
        return number

    def to_representation(self, value: Decimal) -> Decimal:
        """Return the number."""
        return value


@extend_schema_field(
    {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": int(MAX_NUMBER),
        "multipleOf": 10**-TOKEN_DECIMALS,
    }
)
class PositiveField(NumberField):
    """A JSON number above 0, with at most the decimals of a column.

    Those of a price or of money are checked later, with the currency.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(decimals=TOKEN_DECIMALS, **kwargs)

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the number."""
        number = super().to_internal_value(data)
        if not number:
            raise serializers.ValidationError("must be above 0")
        return number


def _escaped(characters: Iterable[int]) -> str:
    """Return sorted code points of at most 16 bits as part of a character class."""
    runs: list[list[int]] = []
    for point in characters:
        if runs and point == runs[-1][1] + 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return "".join(rf"\u{first:04x}-\u{last:04x}" for first, last in runs)


# What a line does not contain, for a character class of a pattern. Joiners between letters that
# need them are accepted as well, which no short pattern says.
HIDDEN = r"\u0000-\u001f\u007f-\u009f" + _escaped(
    point for point in range(0x10000) if is_invisible(chr(point))
)
LINE = f"^[^{HIDDEN}]*$"


class TextField(serializers.CharField):
    """A JSON string of one visible line, not trimmed.

    It has no control, invisible or direction-changing characters.

    `schema_keywords` are its OpenAPI keywords, `blank_pattern` the pattern where it may be blank.
    """

    schema_keywords: ClassVar[Mapping[str, str]] = {
        "pattern": rf"^[^{HIDDEN}]*[^\s{HIDDEN}][^{HIDDEN}]*$"
    }
    blank_pattern: ClassVar[str] = LINE
    default_error_messages: ClassVar = {
        "invalid": "must be a string",
        "max_length": "must have at most {max_length} characters",
        "min_length": "must have at least {min_length} characters",
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the text; white space alone counts as blank."""
        if isinstance(data, str) and data and not data.strip() and not self.allow_blank:
            self.fail("blank")
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        """Return the text; reject numbers and booleans."""
        if not isinstance(data, str):
            self.fail("invalid")
        if problem := line_problem(data):
            raise serializers.ValidationError(problem)
        return data


class PatternField(TextField):
    """A text that matches `pattern` as a whole, or blank where it is allowed.

    `rule` says what another text must be.
    """

    pattern: ClassVar[re.Pattern[str]]
    rule: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.schema_keywords = {"pattern": f"^{cls.pattern.pattern}$"}
        cls.blank_pattern = f"^({cls.pattern.pattern})?$"

    def to_internal_value(self, data: Any) -> str:
        """Return the text unchanged."""
        text = super().to_internal_value(data)
        if not self.pattern.fullmatch(text):
            raise serializers.ValidationError(self.rule)
        return text


class OwnIdField(TextField):
    """An ID of the client's own, without the white space around it."""

    def to_internal_value(self, data: Any) -> str:
        """Return the ID, trimmed."""
        return super().to_internal_value(data).strip()


class MomentField(TextField):
    """A time: ISO 8601 with its offset."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"format": "date-time"}

    def to_internal_value(self, data: Any) -> Any:
        """Return the aware time in UTC."""
        text = super().to_internal_value(data)
        try:
            if _TIME.fullmatch(text):
                return dt.datetime.fromisoformat(text.upper()).astimezone(dt.UTC)
        except (ValueError, OverflowError):
            pass
        raise serializers.ValidationError("must be an ISO 8601 date-time with its offset")


@extend_schema_field({"type": "boolean"})
class FlagField(serializers.Field[bool, Any, Any, Any]):
    """A JSON boolean."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the boolean."""
        if not isinstance(data, bool):
            raise serializers.ValidationError("must be true or false")
        return data


class EnumField(serializers.Field[str, Any, Any, Any]):
    """One of the allowed values, in any case; the result has the declared spelling."""

    def __init__(self, *, allowed: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.allowed = [str(word) for word in allowed]
        self.problem = f"must be one of [{', '.join(self.allowed)}]"
        set_override(self, "field", {"type": "string", "enum": self.allowed})

    def to_internal_value(self, data: Any) -> str:
        """Return the value in its declared spelling."""
        choice = match_choice(data, self.allowed)
        if choice is None:
            raise serializers.ValidationError(self.problem)
        return choice


class CountryField(EnumField):
    """The ISO code of a country, in any case; empty: not known."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allowed=["", *sorted(COUNTRIES)], **kwargs)
        self.problem = "must be the ISO code of a country, such as NG"


class EmailField(TextField):
    """An email address."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"format": "email"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=254, **kwargs)
        self.validators.append(EmailValidator(message="must be an email address"))


def currency_error(allowed: Iterable[str]) -> serializers.ValidationError:
    """Return the validation error for a currency that is not `allowed`."""
    error = InvalidCurrency(allowed)
    return serializers.ValidationError(error.message, code=error.code)


@extend_schema_field({"type": "string", "enum": list(PAYOUT_CURRENCIES)})
class CurrencyField(serializers.Field[str, Any, Any, Any]):
    """The code of a currency with wallets; any other value gets the interface's message."""

    def run_validation(self, data: Any = serializers.empty) -> str:
        """Return the code; reject absent, null and other values alike."""
        if not isinstance(data, str) or data not in currencies():
            raise currency_error(payout_currencies())
        return data
