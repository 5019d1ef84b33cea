"""Terms of a loan configuration, and what terms may be. Nothing here is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any
from uuid import UUID

from credit.configurations.models import Access
from exchange.core.currencies import currencies
from exchange.core.errors import InvalidRequest
from exchange.core.numbers import MAX_NUMBER, decimals_error, format_plain
from exchange.tokens.models import InvestmentCategory

LONGEST_NAME = 200
MOST_ORGANISATIONS = 200
LONGEST_DURATION = 600
LONGEST_GRACE = 365
RATE_DECIMALS = 8
# Control and format characters, surrogates, line and paragraph separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a configuration offers: amounts by currency, rates 0 to 1 (interest a month),
    `duration` the longest in months, `grace_period` in days. A currency without
    `max_outstanding` has no such bound; one without `min_amount` that of `default_least_amount`.
    `organisation_ids` may be of nobody: such an id lets nobody borrow.
    """

    name: str
    investment_categories: Sequence[str]
    max_amount: Mapping[str, Decimal]
    collateral_ratio: Decimal
    interest_rate: Decimal
    duration: int
    access: str = Access.OWN
    organisation_ids: Sequence[UUID] = ()
    min_amount: Mapping[str, Decimal] = field(default_factory=dict)
    max_outstanding: Mapping[str, Decimal] = field(default_factory=dict)
    grace_period: int = 0

    def least_amount(self, currency: str) -> Decimal:
        """Give the least amount of one loan, as set or by default."""
        default = default_least_amount(currency, self.interest_rate, self.max_amount[currency])
        return self.min_amount.get(currency, default)


def default_least_amount(currency: str, rate: Decimal, most: Decimal) -> Decimal:
    """Give what brings one minor unit of interest a month (at rate 0: one minor unit), but no more
    than `most`, the most of one loan.
    """
    unit = Decimal(1).scaleb(-currencies()[currency].decimals)
    units = (1 / rate).to_integral_value(ROUND_CEILING) if rate else Decimal(1)
    return min(units * unit, most)


def check(terms: Terms) -> None:
    """Raises the `InvalidRequest` that names every bad field of `terms`."""
    found = problems({name: getattr(terms, name) for name in _RULES})
    if found:
        raise InvalidRequest("; ".join(f"{name} {text}" for name, text in found.items()))


def problems(values: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong, by field, with the fields of `Terms` that are in `values`, each of its type.

    Nobody is told whether organisations exist.
    """
    found: dict[str, str] = {}
    for name, rule in _RULES.items():
        text = rule(values[name]) if name in values else None
        if text:
            found[name] = text
    good = {name: value for name, value in values.items() if name not in found}
    for name, between in _BETWEEN.items():
        text = between(good) if name in good else None
        if text:
            found[name] = text
    return found


def _name(value: str) -> str | None:
    if not value.strip():
        return "must not be blank"
    if len(value) > LONGEST_NAME:
        return f"must have at most {LONGEST_NAME} characters"
    if any(unicodedata.category(character) in _UNSEEN for character in value):
        return "must not contain control, invisible or direction-changing characters"
    return None


def _access(value: str) -> str | None:
    return None if value in Access.values else f"must be one of [{', '.join(Access.values)}]"


def _organisations(value: Sequence[UUID]) -> str | None:
    if len(value) > MOST_ORGANISATIONS:
        return f"must have at most {MOST_ORGANISATIONS} items"
    return "must not name an organisation twice" if len(set(value)) < len(value) else None


def _categories(value: Sequence[str]) -> str | None:
    allowed = InvestmentCategory.values
    if not value:
        return "must not be empty"
    if any(category not in allowed for category in value):
        return f"must be of [{', '.join(allowed)}]"
    return "must not name a category twice" if len(set(value)) < len(value) else None


def _amounts(value: Mapping[str, Decimal]) -> str | None:
    for code, amount in value.items():
        facts = currencies().get(code)
        if facts is None:
            return f"must be amounts by currency, of [{', '.join(currencies())}]"
        if not amount.is_finite() or not 0 < amount <= MAX_NUMBER:
            return f"must be above 0 and not above {format_plain(MAX_NUMBER)} in {code}"
        if problem := decimals_error(amount, facts.decimals):
            return f"{problem} in {code}"
    return None


def _max_amount(value: Mapping[str, Decimal]) -> str | None:
    return _amounts(value) if value else "must have at least one currency"


def _ratio(value: Decimal) -> str | None:
    if not value.is_finite() or not 0 < value <= 1:
        return "must be above 0 and not above 1"
    return decimals_error(value, RATE_DECIMALS)


def _rate(value: Decimal) -> str | None:
    if not value.is_finite() or not 0 <= value <= 1:
        return "must be from 0 to 1"
    return decimals_error(value, RATE_DECIMALS)


def _duration(value: int) -> str | None:
    if 1 <= value <= LONGEST_DURATION:
        return None
    return f"must be a whole number of months from 1 to {LONGEST_DURATION}"


def _grace(value: int) -> str | None:
    if 0 <= value <= LONGEST_GRACE:
        return None
    return f"must be a whole number of days from 0 to {LONGEST_GRACE}"


def _named(values: Mapping[str, Any]) -> str | None:
    """The organisations fit the access: named where they are asked for, else not."""
    if values.get("access") == Access.ORGANISATIONS:
        return None if values["organisation_ids"] else "must name who may borrow"
    if values.get("access") in Access.values and values["organisation_ids"]:
        return f"must be empty unless access is {Access.ORGANISATIONS}"
    return None


def _bounds(values: Mapping[str, Any]) -> str | None:
    """What may be outstanding is given where something is lent, and lets one loan be made."""
    single = values.get("max_amount")
    if single is None:
        return None
    for code, amount in values["max_outstanding"].items():
        if code not in single:
            return f"must not have {code}, in which max_amount lends nothing"
        if amount < single[code]:
            return f"must not be below max_amount in {code}"
    return None


def _least(values: Mapping[str, Any]) -> str | None:
    """The least of one loan is given where something is lent, and lets one loan be made."""
    single = values.get("max_amount")
    if single is None:
        return None
    for code, amount in values["min_amount"].items():
        if code not in single:
            return f"must not have {code}, in which max_amount lends nothing"
        if amount > single[code]:
            return f"must not be above max_amount in {code}"
    return None


_RULES: dict[str, Callable[[Any], str | None]] = {
    "name": _name,
    "access": _access,
    "organisation_ids": _organisations,
    "investment_categories": _categories,
    "min_amount": _amounts,
    "max_amount": _max_amount,
    "max_outstanding": _amounts,
    "collateral_ratio": _ratio,
    "interest_rate": _rate,
    "duration": _duration,
    "grace_period": _grace,
}
_BETWEEN: dict[str, Callable[[Mapping[str, Any]], str | None]] = {
    "organisation_ids": _named,
    "min_amount": _least,
    "max_outstanding": _bounds,
}
