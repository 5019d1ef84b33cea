"""Parser of request bodies: JSON with exact numbers, within limits.

A whole number is an int, any other a Decimal. The standard library's decoder is used since msgspec
reads `-0` as 0 and cannot name the field of a lone surrogate.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import MAX_PREC, Context, Decimal, InvalidOperation
from typing import IO, Any

from django.conf import settings
from django.http import UnreadablePostError
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

# Larger numbers are replaced by one that every field rejects for the same reason, so that nothing
# computes with 5,000 digits or formats 1e999999.
_DIGITS = 60
_EXPONENT = 100
_EXACT = Context(prec=MAX_PREC)
# The length of a field's name in a message.
_MAX_NAME_LENGTH = 100


def _whole(text: str) -> int | Decimal:
    if len(text) <= _DIGITS and text != "-0":
        return int(text)
    return Decimal(text) if text == "-0" else Decimal(f"{text[:2]}E{_EXPONENT}")


def _fraction(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent of more than 18 digits
        tiny = "e-" in text.lower()
        return Decimal(f"1E{-_EXPONENT if tiny else _EXPONENT}")
    sign = "-" if number.is_signed() else ""
    if not number:
        return Decimal(f"{sign}0")
    exponent = number.adjusted()
    if abs(exponent) > _EXPONENT:
        return Decimal(f"{sign}1E{_EXPONENT if exponent > 0 else -_EXPONENT}")
    # Trailing zeros cost digits that no column has.
    return number.normalize(_EXACT) if len(text) > _DIGITS else number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these fields. Raises `ParseError` for a repeated name."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = Counter(name for name, _ in pairs)
        repeated = next(name for name, times in names.items() if times > 1)
        # A lone surrogate could not be encoded.
        label = repeated[:_MAX_NAME_LENGTH].encode(errors="replace").decode()
        raise ParseError(f"{label} must be given once")
    return fields


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=Decimal
)


def read_json(body: bytes, *, depth_limit: int) -> dict[str, Any]:
    """Return the JSON object in `body`. Raises `ParseError`."""
    try:
        value = _decoder.decode(body.decode())
    except UnicodeDecodeError as error:
        raise ParseError(f"The body is not valid UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise ParseError(
            f"The body is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
            if body.strip()
            else "The body is empty: a JSON object is needed"
        ) from error
    except RecursionError as error:
        raise _too_deep(depth_limit) from error
    if not isinstance(value, dict):
        raise ParseError("The body must be a JSON object")
    for path, item in _items(value, depth_limit):
        if problem := _problem(item):
            subject = path[:_MAX_NAME_LENGTH] if path else "A field name"
            raise ParseError(f"{subject} {problem}")
    return value


def _items(value: Mapping[str, Any], depth_limit: int) -> Iterator[tuple[str, Any]]:
    """Yield every string and number with its path, field names with the path ''."""
    pending: list[tuple[str, Any, int]] = [("", value, 1)]
    while pending:
        path, item, depth = pending.pop()
        if depth > depth_limit and isinstance(item, dict | list):
            raise _too_deep(depth_limit)
        if isinstance(item, dict):
            for name, inner in item.items():
                yield "", name
                pending.append((f"{path}.{name}" if path else name, inner, depth + 1))
        elif isinstance(item, list):
            pending.extend((f"{path}[{i}]", inner, depth + 1) for i, inner in enumerate(item))
        else:
            yield path, item


def _problem(item: Any) -> str | None:
    if isinstance(item, str):
        if "\x00" in item:
            return "must not contain NUL characters"
        if not item.isascii() and any("\ud800" <= c <= "\udfff" for c in item):
            return "must not contain lone surrogates"
    elif isinstance(item, Decimal) and not item.is_finite():
        return "must be a number"
    return None


def _too_deep(limit: int) -> ParseError:
    return ParseError(f"The body is nested more than {limit} levels deep")


class ExactJSONParser(BaseParser):
    """Parses `application/json` bodies."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002 - DRF's signature
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002 - DRF's signature
    ) -> dict[str, Any]:
        """Return the body's object."""
        try:
            body = stream.read()
        except UnreadablePostError as error:
            raise ParseError(
                "The body is incomplete: its length must be that of Content-Length"
            ) from error
        return read_json(body, depth_limit=settings.API_BODY_DEPTH_LIMIT)
