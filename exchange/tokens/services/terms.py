"""Rules of a token's terms, for new listings and later changes.

The table enforces the same rules, except decimals (`sql/token_terms.sql`).
"""

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

# Amounts in the token's currency.
MONEY_FIELDS = (
    *(name for pair in MIN_MAX_FIELDS for name in pair),
    *("valuation", "post_raise_valuation"),
)
PERCENT_DECIMALS = 4
# The maximum of each percentage.
PERCENT_LIMITS = {
    **dict.fromkeys(("buy_fee", "sell_fee"), Decimal(MAX_FEE_PERCENT)),
    **dict.fromkeys(PERCENT_FIELDS, Decimal(100)),
}


def find_term_errors(token: Token, decimals: int) -> dict[str, str]:
    """Return the errors of the terms of `token` by field; `decimals` are its currency's."""
    limits = {
        **dict.fromkeys(MONEY_FIELDS, (decimals, MAX_NUMBER)),
        **{name: (PERCENT_DECIMALS, limit) for name, limit in PERCENT_LIMITS.items()},
    }
    messages = {
        name: describe_number_error(name, getattr(token, name), *limits[name]) for name in limits
    }
    if token.issue_price is not None:
        messages["issue_price"] = describe_price_error("issue_price", token.issue_price, decimals)
    errors = {name: text for name, text in messages.items() if text}
    if not errors:
        errors = {
            low: f"{low} must not be above {high}"
            for low, high in MIN_MAX_FIELDS
            if 0 < getattr(token, high) < getattr(token, low)
        }
    if token.image and not re.fullmatch(IMAGE_PATTERN, token.image, re.IGNORECASE):
        errors["image"] = "image must be a web address, or a path that begins with /"
    return errors


def describe_price_error(name: str, value: Decimal, decimals: int) -> str:
    """Return why a price is not valid; "" if it is."""
    return describe_number_error(name, value, decimals) or (
        "" if value else f"{name} must be above 0"
    )


def describe_number_error(
    name: str, value: Decimal, decimals: int, limit: Decimal = MAX_NUMBER
) -> str:
    """Return why a number is not valid between 0 and `limit`; "" if it is."""

    if not value.is_finite() or not 0 <= value <= limit:
        return f"{name} must be from 0 to {limit:f}"
    problem = decimals_error(value, decimals)
    return f"{name} {problem}" if problem else ""
