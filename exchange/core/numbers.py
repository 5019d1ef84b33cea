"""Exact numbers: parsing, rounding and formatting.

Amounts are `Decimal` from the parser to the database and back, never a binary float.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal

# The largest accepted amount.
MAX_NUMBER = Decimal(10) ** 15
TOKEN_DECIMALS = 8

# Numbers as typed by people, with or without thousands separators.
_TYPED = re.compile(r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]+)?")
_MAX_TYPED_LENGTH = 60

_CONTEXT = Context(prec=60, rounding=ROUND_HALF_EVEN)
_EXACT = Context(prec=MAX_PREC, Emin=MIN_EMIN, Emax=MAX_EMAX)


class InvalidNumber(ValueError):
    """The value is not an accepted number; the text says why, without naming the field."""


def parse_number(value: object) -> Decimal:
    """Return a parsed JSON value as a Decimal from 0 to 10^15.

    Raises `InvalidNumber` for strings, booleans, negatives (also minus zero), NaN, Infinity and
    larger numbers.
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


def parse_typed_number(text: str) -> Decimal | None:
    """Return the number from 0 in typed `text` (`12,500.50`, `12500.5`), or None."""
    if len(text) > _MAX_TYPED_LENGTH or not _TYPED.fullmatch(text):
        return None
    return Decimal(text.replace(",", ""))


def parse_typed_amount(text: str) -> Decimal | None:
    """Return the amount above 0 in typed `text`, with at most the decimals of a token, or None."""
    number = parse_typed_number(text)
    if number is None or not 0 < number <= MAX_NUMBER or count_decimals(number) > TOKEN_DECIMALS:
        return None
    return number


def describe_entry_error(number: Decimal, most: int) -> str:
    """Return what is wrong with an amount that staff entered, as a sentence, or "".

    It is above 0, at most 10^15, and has at most `most` decimals.
    """
    if not number.is_finite() or number <= 0:
        return "Enter an amount above 0"
    if number > MAX_NUMBER:
        return f"At most {format_grouped(MAX_NUMBER)}"
    return "" if count_decimals(number) <= most else describe_decimals(most)


def describe_decimals(most: int) -> str:
    """Return the limit of decimals as a sentence: `At most 2 decimals`, `No decimals`."""
    if most == 1:
        return "At most 1 decimal"
    return f"At most {most} decimals" if most else "No decimals"


def count_decimals(number: Decimal) -> int:
    """Return the number of decimals of the finite `number`, without trailing zeros."""
    exponent = number.normalize(_EXACT).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def decimals_error(number: Decimal, most: int) -> str:
    """Return the error for more than `most` decimals in `number`, or ""."""
    if count_decimals(number) <= most:
        return ""
    return f"must not have more than {most} decimals" if most else "must not have decimals"


def round_half_even(number: Decimal, decimals: int) -> Decimal:
    """Round `number` half-even to `decimals`."""
    return number.quantize(Decimal(1).scaleb(-decimals), context=_CONTEXT)


def format_plain(number: Decimal) -> str:
    """Format `number` in plain notation without trailing zeros: `90.02`, `10000`, never `1E+4`."""
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def format_grouped(number: Decimal, decimals: int = 0) -> str:
    """Format `number` as `1,234.50`: at least `decimals` decimals, and all that it has."""
    return f"{number:,.{max(decimals, count_decimals(number))}f}"


def format_units(number: Decimal) -> str:
    """Format a number of token units: `1,000 units`, `1 unit`."""
    return f"{format_grouped(number)} {'unit' if number == 1 else 'units'}"
