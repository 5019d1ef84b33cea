"""Reads request bodies: JSON with exact numbers and within limits.

Numbers are never binary floats: a whole number is an int, any other a Decimal. (msgspec reads
`-0` as 0 and cannot say in which field a lone surrogate stood; the standard library's scanner,
also in C, does both right.)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import IO, Any

from django.conf import settings
from django.http import UnreadablePostError
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

# Nothing we take has more digits or a larger exponent. What has is cut to a number that every
# field refuses for the same reason, so that nobody computes with 5,000 digits or writes out
# 1e999999.
_DIGITS = 60
_EXPONENT = 100
# So much of a field's name is repeated in a message.
_SHOWN = 100


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
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these fields. Raises `ParseError` for a name that stands in it twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = next(name for name, times in names.items() if times > 1)
        # A lone surrogate in it could not be written out.
        shown = twice[:_SHOWN].encode(errors="replace").decode()
        raise ParseError(f"{shown} must be given once")
    return found


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=Decimal
)


def read_json(body: bytes, *, depth_limit: int) -> dict[str, Any]:
    """The JSON object in `body`. Raises `ParseError` with a message that names the trouble."""
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
        trouble = _problem(item)
        if trouble:
            raise ParseError(f"{path[:_SHOWN]} {trouble}" if path else f"A field name {trouble}")
    return value


def _items(value: Mapping[str, Any], depth_limit: int) -> Iterator[tuple[str, Any]]:
    """Every string and number with its path, field names with the path ''."""
    waiting: list[tuple[str, Any, int]] = [("", value, 1)]
    while waiting:
        path, item, depth = waiting.pop()
        if depth > depth_limit and isinstance(item, dict | list):
            raise _too_deep(depth_limit)
        if isinstance(item, dict):
            for name, inner in item.items():
                yield "", name
                waiting.append((f"{path}.{name}" if path else name, inner, depth + 1))
        elif isinstance(item, list):
            waiting.extend((f"{path}[{i}]", inner, depth + 1) for i, inner in enumerate(item))
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
    """`application/json` bodies, by `read_json`."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002 - DRF's signature
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002 - DRF's signature
    ) -> dict[str, Any]:
        """The body's object."""
        try:
            body = stream.read()
        except UnreadablePostError as error:
            raise ParseError("The body did not arrive whole") from error
        return read_json(body, depth_limit=settings.API_BODY_DEPTH_LIMIT)
