"""Strict serializer fields: values of another type are rejected, not converted."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.core.validators import EmailValidator
from drf_spectacular.drainage import set_override
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.core.currencies import PAYOUT_CURRENCIES, currencies, payout_currencies
from exchange.core.errors import InvalidCurrency
from exchange.core.numbers import TOKEN_DECIMALS, InvalidNumber, decimals_error, parse_number
from exchange.core.text import has_control_characters, match_choice


def validate_decimals(number: Decimal, decimals: int) -> None:
    """Raise a validation error if `number` has more decimals than its asset."""
    if problem := decimals_error(number, decimals):
        raise serializers.ValidationError(problem)


class NumberField(serializers.Field[Decimal, Any, Any, Any]):
    """An exact JSON number from 0 to 10^15, with at most `decimals` decimals where given."""

    def __init__(self, *, decimals: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.decimals = decimals

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


class PositiveField(NumberField):
    """A JSON number above 0, with at most the decimals of a column."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(decimals=TOKEN_DECIMALS, **kwargs)

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the number."""
        number = super().to_internal_value(data)
        if not number:
            raise serializers.ValidationError("must be above 0")
        return number


# Control characters, for a character class of a pattern.
CONTROL = r"\u0000-\u001f\u007f-\u009f"


def line_pattern(without: str) -> str:
    """Return the pattern of a text that is not blank and has no character of `without`."""
    return rf"^[^{without}]*[^\s{without}][^{without}]*$"


class TextField(serializers.CharField):
    """A JSON string of one line, not trimmed, without control characters.

    `schema_keywords` are its OpenAPI keywords, `blank_pattern` the pattern where it may be blank.
    """

    schema_keywords: ClassVar[Mapping[str, str]] = {"pattern": line_pattern(CONTROL)}
    blank_pattern: ClassVar[str] = f"^[^{CONTROL}]*$"
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
        if has_control_characters(data):
            raise serializers.ValidationError("must not contain control characters")
        return data


class EnumField(serializers.Field[str, Any, Any, Any]):
    """One of the allowed values, in any case; the result has the declared spelling."""

    def __init__(self, *, allowed: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.allowed = [str(word) for word in allowed]
        set_override(self, "field", {"type": "string", "enum": self.allowed})

    def to_internal_value(self, data: Any) -> str:
        """Return the value in its declared spelling."""
        choice = match_choice(data, self.allowed)
        if choice is None:
            raise serializers.ValidationError(f"must be one of [{', '.join(self.allowed)}]")
        return choice


class EmailField(TextField):
    """An email address."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"format": "email"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=254, **kwargs)
        self.validators.append(EmailValidator(message="must be an email address"))


# Format characters (zero width, direction marks), line and paragraph separators.
_INVISIBLE = frozenset({"Cf", "Zl", "Zp"})


def _escaped(characters: Iterable[int]) -> str:
    """Return sorted code points of at most 16 bits as part of a character class."""
    runs: list[list[int]] = []
    for point in characters:
        if runs and point == runs[-1][1] + 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return "".join(rf"\u{first:04x}-\u{last:04x}" for first, last in runs)


_WITHOUT = CONTROL + _escaped(
    point for point in range(0x10000) if unicodedata.category(chr(point)) in _INVISIBLE
)


class NameField(TextField):
    """A name for people: one line without invisible or direction-changing characters."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"pattern": line_pattern(_WITHOUT)}
    blank_pattern: ClassVar[str] = f"^[^{_WITHOUT}]*$"

    def to_internal_value(self, data: Any) -> str:
        """Return the name unchanged."""
        text = super().to_internal_value(data)
        if not text.isascii() and any(unicodedata.category(c) in _INVISIBLE for c in text):
            raise serializers.ValidationError(
                "must not contain invisible or direction-changing characters"
            )
        return text


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
