"""Serializer fields of withdrawals, and serializers that are cheap to make at every request."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import CONTROL, TextField, line_pattern
from wallets.errors import InvalidCurrency
from wallets.selectors.currencies import currencies, payout_currencies
from wallets.services.corridors import PHONE, WRONG_PHONE

_ACCOUNT_NUMBER = re.compile(r"[A-Za-z0-9]{4,34}", re.ASCII)
# Format characters (zero width, direction marks), line and paragraph separators.
_INVISIBLE = frozenset({"Cf", "Zl", "Zp"})

PAYOUT_CURRENCIES = ["NGN", "KES", "GHS", "ZAR", "UGX", "TZS"]
WALLET_CURRENCIES = [*PAYOUT_CURRENCIES, "USD"]


def _escaped(characters: Iterable[int]) -> str:
    """The characters (code points in order, of at most 16 bits) as part of a character class."""
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
    """A name people read: one line without invisible or direction-changing characters."""

    says: ClassVar[Mapping[str, str]] = {"pattern": line_pattern(_WITHOUT)}
    blank_pattern: ClassVar[str] = f"^[^{_WITHOUT}]*$"

    def to_internal_value(self, data: Any) -> str:
        """The name, as it was sent."""
        text = super().to_internal_value(data)
        if not text.isascii() and any(unicodedata.category(c) in _INVISIBLE for c in text):
            raise serializers.ValidationError(
                "must not contain invisible or direction-changing characters"
            )
        return text


class PhoneField(TextField):
    """A phone number with its country code, digits only after the plus sign."""

    says: ClassVar[Mapping[str, str]] = {"pattern": f"^{PHONE.pattern}$"}
    blank_pattern: ClassVar[str] = f"^({PHONE.pattern})?$"

    def to_internal_value(self, data: Any) -> str:
        """The number, as it was sent."""
        text = super().to_internal_value(data)
        if not PHONE.fullmatch(text):
            raise serializers.ValidationError(WRONG_PHONE)
        return text


class AccountNumberField(TextField):
    """A bank account number or IBAN: 4 to 34 ASCII letters and digits."""

    says: ClassVar[Mapping[str, str]] = {"pattern": f"^{_ACCOUNT_NUMBER.pattern}$"}

    def to_internal_value(self, data: Any) -> str:
        """The number, as it was sent."""
        text = super().to_internal_value(data)
        if not _ACCOUNT_NUMBER.fullmatch(text):
            raise serializers.ValidationError(
                "must be 4 to 34 letters and digits, without spaces or hyphens"
            )
        return text


def currency_error(allowed: Iterable[str]) -> serializers.ValidationError:
    """The refusal of a currency that is not `allowed`, as part of a validation failure."""
    refusal = InvalidCurrency(allowed)
    return serializers.ValidationError(refusal.message, code=refusal.code)


@extend_schema_field({"type": "string", "enum": PAYOUT_CURRENCIES})
class CurrencyField(serializers.Field[str, Any, Any, Any]):
    """The code of a currency with wallets. Whatever else comes gets the interface's message."""

    def run_validation(self, data: Any = serializers.empty) -> str:
        """The code; absent, null and of another type are refused alike."""
        if not isinstance(data, str) or data not in currencies():
            raise currency_error(payout_currencies())
        return data


class LeanSerializer(serializers.Serializer[Any]):
    """A serializer whose fields are made once for its class, not copied for every request.

    The fields keep no state of a request, so threads share them. `check` adds what needs several
    fields: only values that are right by themselves are in `values`.
    """

    def run_validation(self, data: Any = serializers.empty) -> dict[str, Any]:
        """The checked values; raises one error that names every bad field."""
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        given: Mapping[str, Any] = data
        for name, run, default in _validators(type(self)):
            value = given.get(name, serializers.empty)
            if value is serializers.empty and default is not serializers.empty:
                values[name] = default
                continue
            try:
                values[name] = run(value)
            except serializers.ValidationError as error:
                errors[name] = error.detail
        self.check(values, errors)
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Adds to `errors` what is wrong between fields."""


@cache
def _validators(kind: type[LeanSerializer]) -> tuple[tuple[str, Any, Any], ...]:
    """Name, check and default (`empty` when there is none) of each field."""
    fields = kind().fields.items()
    return tuple((name, field.run_validation, field.default) for name, field in fields)
