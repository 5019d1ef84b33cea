"""Serializer fields that take exactly what they are declared to take: nothing is converted."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.core.validators import EmailValidator
from rest_framework import serializers

from exchange.core.numbers import TOKEN_DECIMALS, NotANumber, decimals_of, read_number


def check_decimals(number: Decimal, decimals: int) -> None:
    """Raises the validation error for a `number` with more decimals than its asset has."""
    if decimals_of(number) > decimals:
        raise serializers.ValidationError(
            f"must not have more than {decimals} decimals" if decimals else "must not have decimals"
        )


class NumberField(serializers.Field[Decimal, Any, Any, Any]):
    """A JSON number from 0 to 10^15, exact; at most `decimals` decimals when given."""

    def __init__(self, *, decimals: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.decimals = decimals

    def to_internal_value(self, data: Any) -> Decimal:
        """The number. Strings and booleans are refused, like everything else that is not one."""
        try:
            number = read_number(data)
        except NotANumber as error:
            raise serializers.ValidationError(str(error)) from error
        if self.decimals is not None:
            check_decimals(number, self.decimals)
        return number

    def to_representation(self, value: Decimal) -> Decimal:
        """The number."""
        return value


class PositiveField(NumberField):
    """A JSON number above 0, with no more decimals than a column keeps."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(decimals=TOKEN_DECIMALS, **kwargs)

    def to_internal_value(self, data: Any) -> Decimal:
        """The number."""
        number = super().to_internal_value(data)
        if not number:
            raise serializers.ValidationError("must be above 0")
        return number


# Characters that no text has, as part of a character class of a pattern.
CONTROL = r"\u0000-\u001f\u007f-\u009f"


def line_pattern(without: str) -> str:
    """The pattern of a text that is not blank and has none of the characters `without`."""
    return rf"^[^{without}]*[^\s{without}][^{without}]*$"


class TextField(serializers.CharField):
    """A JSON string of one line, taken as it is: not trimmed, no control characters.

    `says` is what the schema says of it; where it may be blank, `blank_pattern` is the pattern.
    """

    says: ClassVar[Mapping[str, str]] = {"pattern": line_pattern(CONTROL)}
    blank_pattern: ClassVar[str] = f"^[^{CONTROL}]*$"
    default_error_messages: ClassVar = {
        "invalid": "must be a string",
        "max_length": "must have at most {max_length} characters",
        "min_length": "must have at least {min_length} characters",
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """The text; blank also when it is white space only."""
        if isinstance(data, str) and data and not data.strip() and not self.allow_blank:
            self.fail("blank")
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        """The text. Numbers and booleans are refused rather than written out."""
        if not isinstance(data, str):
            self.fail("invalid")
        if not data.isprintable() and any(unicodedata.category(c) == "Cc" for c in data):
            raise serializers.ValidationError("must not contain control characters")
        return data


class EmailField(TextField):
    """An email address."""

    says: ClassVar[Mapping[str, str]] = {"format": "email"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=254, **kwargs)
        self.validators.append(EmailValidator(message="must be an email address"))
