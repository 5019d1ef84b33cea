"""Fields of Flutterwave's JSON: decoding, encoding and strict reading. Pure functions.

Everything read is validated; `MalformedResponse` is mapped by the client. Numbers never pass
through binary floats.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from exchange.core.numbers import MAX_NUMBER

# A number that we would compute with has no more digits.
_MAX_DIGITS = 60
MAX_REFERENCE = 100

_TEXT_LIMIT = 200

_decoder = msgspec.json.Decoder(float_hook=Decimal)
_encoder = msgspec.json.Encoder(decimal_format="number")


class MalformedResponse(Exception):
    """A body that violates the wire format. The message names the field, never the data."""


@dataclass(frozen=True, slots=True)
class ProviderEnvelope:
    """`{"status", "message", "data", "meta"?}`; `ok` only when status equals "success"."""

    ok: bool
    message: str
    data: Any
    meta: Any


def plain_number(amount: Decimal) -> Decimal | int:
    """Return `amount` as the wire has it: plain notation, no trailing zeros."""
    if amount == amount.to_integral_value():
        return int(amount)
    return Decimal(format(amount, "f").rstrip("0"))


def encode(body: Mapping[str, Any]) -> bytes:
    """Encode a request body; `Decimal` values become JSON numbers."""
    return _encoder.encode(body)


def decode(body: bytes) -> Any:
    """Decode JSON; numbers with a fraction or an exponent become `Decimal`."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, InvalidOperation, ValueError, RecursionError):
        raise MalformedResponse("body is not JSON") from None


def read_envelope(body: bytes) -> ProviderEnvelope:
    """Parse the envelope of a response."""
    value = object_of(decode(body), "body")
    status = value.get("status")
    if not isinstance(status, str):
        raise MalformedResponse("envelope has no status")
    message = value.get("message")
    return ProviderEnvelope(
        ok=status == "success",
        message=printable(message) if isinstance(message, str) else "",
        data=value.get("data"),
        meta=value.get("meta"),
    )


def printable(text: str) -> str:
    """Return external text as one bounded, printable line."""
    return "".join(c if c.isprintable() else " " for c in text[:_TEXT_LIMIT]).strip()


def object_of(value: Any, what: str) -> dict[str, Any]:
    """Return `value`, which must be an object."""
    if not isinstance(value, dict):
        raise MalformedResponse(f"{what} is not an object")
    return value


def list_of(value: Any, what: str) -> list[Any]:
    """Return `value`, which must be a list."""
    if not isinstance(value, list):
        raise MalformedResponse(f"{what} is not a list")
    return value


def text_field(row: dict[str, Any], key: str) -> str:
    """Return a text that is not blank, without surrounding space."""
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise MalformedResponse(f"{key} is not a text")
    return value.strip()


def short_text_field(row: dict[str, Any], key: str, limit: int) -> str:
    """Return a printable text of at most `limit` characters that is not blank."""
    value = text_field(row, key)
    if len(value) > limit or not value.isprintable():
        raise MalformedResponse(f"{key} is not a short text")
    return value


def code_field(row: dict[str, Any], key: str) -> str:
    """Return a code, which some responses render as a number without leading zeros."""
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_field(row, key)


def integer_field(row: dict[str, Any], key: str) -> int:
    """Return an id or a count."""
    value = row.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**18:
        raise MalformedResponse(f"{key} is not an id or a count")
    return value


def number_field(row: dict[str, Any], key: str) -> Decimal:
    """Return a number of either sign."""
    value = row.get(key)
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        raise MalformedResponse(f"{key} is not a number")
    number = Decimal(value)
    if not number.is_finite() or abs(number) > MAX_NUMBER:
        raise MalformedResponse(f"{key} is out of range")
    if len(number.as_tuple().digits) > _MAX_DIGITS:
        raise MalformedResponse(f"{key} has too many digits")
    return number


def moment_field(row: dict[str, Any], key: str) -> datetime:
    """Return a time; without a time zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text_field(row, key))
    except ValueError:
        raise MalformedResponse(f"{key} is not a time") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def amount_field(row: dict[str, Any], key: str) -> Decimal:
    """Return an amount, at least 0."""
    number = number_field(row, key)
    if number < 0:
        raise MalformedResponse(f"{key} is negative")
    return number


def optional_text(row: dict[str, Any], key: str) -> str:
    """Return a text as one bounded, printable line; empty when it is absent or something else."""
    value = row.get(key)
    return printable(value) if isinstance(value, str) else ""


def optional_amount(row: dict[str, Any], key: str) -> Decimal | None:
    """Return an amount, at least 0; None when it is absent or null."""
    return None if row.get(key) is None else amount_field(row, key)


def check_reference(reference: str) -> None:
    """Raise ValueError for a reference of ours that the provider would not take."""
    if not reference or len(reference) > MAX_REFERENCE:
        raise ValueError("a reference has 1 to 100 characters")


def sent_amount(amount: Decimal) -> Decimal | int:
    """Return an amount to be sent. Raises ValueError for one that cannot be paid."""
    if not (amount.is_finite() and 0 < amount <= MAX_NUMBER):
        raise ValueError("an amount is above 0 and not above 10^15")
    return plain_number(amount)
