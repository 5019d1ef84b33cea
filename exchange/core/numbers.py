"""Exact numbers: reading what a client sent, rounding what we compute, writing it plainly.

Amounts are `Decimal` from the parser to the database and back; no binary float is ever involved.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal

# Larger amounts are refused (decisions §2).
MAX_NUMBER = Decimal(10) ** 15
TOKEN_DECIMALS = 8

# As people write amounts: thousands by commas or not at all.
_TYPED = re.compile(r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]{0,15})(?:\.[0-9]{1,8})?")

_CONTEXT = Context(prec=60, rounding=ROUND_HALF_EVEN)


class InvalidNumber(ValueError):
    """The value is not a number we take; the text says why, without naming the field."""


def parse_number(value: object) -> Decimal:
    """`value`, as the JSON parser gave it, as a Decimal from 0 to 10^15.

    Raises `NotANumber` for strings, booleans, negatives (minus zero too), NaN, Infinity and
    numbers beyond 10^15.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InvalidNumber("must be a number")
    number = Decimal(value)
    if not number.is_finite():
        raise InvalidNumber("must be a number")
    if number.is_signed():
        raise InvalidNumber("must not be negative")
    if number > MAX_NUMBER:
        raise InvalidNumber("must not be above 1000000000000000")
    return number


def parse_typed_amount(text: str) -> Decimal | None:
    """The amount above 0 that a person wrote as `text`: `12,500.50`, `12500.5`; None for others."""
    if not _TYPED.fullmatch(text):
        return None
    number = Decimal(text.replace(",", ""))
    return number if 0 < number <= MAX_NUMBER else None


def count_decimals(number: Decimal) -> int:
    """How many decimals the finite `number` has, trailing zeros not counted."""
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or not number:
        return 0
    zeros = 0
    for digit in reversed(digits):
        if digit:
            break
        zeros += 1
    return max(0, -(exponent + zeros))


def decimals_error(number: Decimal, most: int) -> str:
    """Return what is wrong with the decimals of `number`, of which it may have `most`; or ""."""
    if count_decimals(number) <= most:
        return ""
    return f"must not have more than {most} decimals" if most else "must not have decimals"


def round_half_even(number: Decimal, decimals: int) -> Decimal:
    """`number` rounded half-even to `decimals`."""
    return number.quantize(Decimal(1).scaleb(-decimals), context=_CONTEXT)


def format_plain(number: Decimal) -> str:
    """`number` in plain notation without trailing zeros: `90.02`, `10000`, `0.1`, never `1E+4`."""
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def format_grouped(number: Decimal, decimals: int = 0) -> str:
    """Write `number` as `1,234.50`: at least `decimals` decimals, and every one it has."""
    return f"{number:,.{max(decimals, count_decimals(number))}f}"


def format_units(number: Decimal) -> str:
    """Write a number of token units: `1,000 units`, `1 unit`."""
    return f"{format_grouped(number)} {'unit' if number == 1 else 'units'}"
