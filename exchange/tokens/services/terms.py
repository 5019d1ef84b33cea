"""Rules of a token's terms, whoever sets them: in a new listing, or later.

The table has the same rules as constraints (`exchange.tokens.models`), but for decimals.
"""

from __future__ import annotations

import re
from decimal import Decimal

from exchange.core.numbers import MAX_NUMBER, decimals_error
from exchange.tokens.models import (
    IMAGE_PATTERN,
    MAX_FEE_PERCENT,
    MIN_MAX_FIELDS,
    PERCENT_FIELDS,
    Token,
)

# Amounts of the token's currency.
MONEY_FIELDS = (
    *(name for pair in MIN_MAX_FIELDS for name in pair),
    *("valuation", "post_raise_valuation"),
)
PERCENT_DECIMALS = 4
# What each may be at most.
PERCENT_LIMITS = {
    **dict.fromkeys(("buy_fee", "sell_fee"), Decimal(MAX_FEE_PERCENT)),
    **dict.fromkeys(PERCENT_FIELDS, Decimal(100)),
}


def find_term_errors(token: Token, decimals: int) -> dict[str, str]:
    """What is wrong with the terms of `token`, whose currency has that many decimals, by field."""
    limits = {
        **dict.fromkeys(MONEY_FIELDS, (decimals, MAX_NUMBER)),
        **{name: (PERCENT_DECIMALS, most) for name, most in PERCENT_LIMITS.items()},
    }
    found = {
        name: describe_number_error(name, getattr(token, name), *limits[name]) for name in limits
    }
    wrong = {name: text for name, text in found.items() if text}
    if not wrong:
        wrong = {
            low: f"{low} must not be above {high}"
            for low, high in MIN_MAX_FIELDS
            if 0 < getattr(token, high) < getattr(token, low)
        }
    if token.image and not re.fullmatch(IMAGE_PATTERN, token.image, re.IGNORECASE):
        wrong["image"] = "image must be a web address, or a path that begins with /"
    return wrong


def describe_number_error(
    name: str, value: Decimal, decimals: int, most: Decimal = MAX_NUMBER
) -> str:
    """What is wrong with a number that lies from 0 to `most`; "" if nothing is."""
    if not value.is_finite() or not 0 <= value <= most:
        return f"{name} must be from 0 to {most:f}"
    problem = decimals_error(value, decimals)
    return f"{name} {problem}" if problem else ""
