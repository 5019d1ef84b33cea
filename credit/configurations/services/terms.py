"""Terms of a loan configuration and their validation rules. Read-only."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from functools import partial
from operator import gt, lt
from typing import Any
from uuid import UUID

from credit.configurations.models import Access
from exchange.core.currencies import currencies
from exchange.core.errors import InvalidRequest
from exchange.core.numbers import MAX_NUMBER, decimals_error, format_plain
from exchange.tokens.models import InvestmentCategory

MAX_NAME_LENGTH = 200
MAX_ORGANISATIONS = 200
MAX_DURATION = 600
MAX_GRACE_PERIOD = 365
RATE_DECIMALS = 8
# Control and format characters, surrogates, line and paragraph separators.
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Terms of a configuration: amounts by currency, rates 0 to 1 (interest per month),
    maximum `duration` in months, `grace_period` in days. A currency without `max_outstanding` has
    no such limit; one without `min_amount` uses `default_min_amount`. `organisation_ids` may be
    unknown; unknown ids have no effect.
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

    def minimum_for(self, currency: str) -> Decimal:
        """Return the minimum per loan, as set or by default."""
        default = default_min_amount(currency, self.interest_rate, self.max_amount[currency])
        return self.min_amount.get(currency, default)


def default_min_amount(currency: str, rate: Decimal, maximum: Decimal) -> Decimal:
    """Return the amount that earns one minor unit of interest per month (at rate 0: one minor
    unit), but no more than `maximum`, the maximum per loan.
    """
    unit = Decimal(1).scaleb(-currencies()[currency].decimals)
    units = (1 / rate).to_integral_value(ROUND_CEILING) if rate else Decimal(1)
    return min(units * unit, maximum)


def validate_terms(terms: Terms) -> None:
    """Raise `InvalidRequest` that names every invalid field of `terms`."""
    found = find_errors({name: getattr(terms, name) for name in _RULES})
    if found:
        raise InvalidRequest("; ".join(f"{name} {text}" for name, text in found.items()))


def find_errors(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the errors of `values`, well-typed fields of `Terms`, by field.

    Does not reveal whether organisations exist.
    """
    found: dict[str, str] = {}
    for name, rule in _RULES.items():
        text = rule(values[name]) if name in values else None
        if text:
            found[name] = text
    valid = {name: value for name, value in values.items() if name not in found}
    for name, cross_rule in _CROSS_FIELD_RULES.items():
        text = cross_rule(valid) if name in valid else None
        if text:
            found[name] = text
    return found


def _check_name(value: str) -> str | None:
    if not value.strip():
        return "must not be blank"
    if len(value) > MAX_NAME_LENGTH:
        return f"must have at most {MAX_NAME_LENGTH} characters"
    if any(unicodedata.category(character) in _INVISIBLE_CATEGORIES for character in value):
        return "must not contain control, invisible or direction-changing characters"
    return None


def _check_access(value: str) -> str | None:
    return None if value in Access.values else f"must be one of [{', '.join(Access.values)}]"


def _check_organisations(value: Sequence[UUID]) -> str | None:
    if len(value) > MAX_ORGANISATIONS:
        return f"must have at most {MAX_ORGANISATIONS} items"
    return "must not name an organisation twice" if len(set(value)) < len(value) else None


def _check_categories(value: Sequence[str]) -> str | None:
    allowed = InvestmentCategory.values
    if not value:
        return "must not be empty"
    if any(category not in allowed for category in value):
        return f"must be of [{', '.join(allowed)}]"
    return "must not name a category twice" if len(set(value)) < len(value) else None


def _check_amounts(value: Mapping[str, Decimal]) -> str | None:
    for code, amount in value.items():
        facts = currencies().get(code)
        if facts is None:
            return f"must only have amounts in [{', '.join(currencies())}]"
        if not amount.is_finite() or not 0 < amount <= MAX_NUMBER:
            return f"must be above 0 and not above {format_plain(MAX_NUMBER)} in {code}"
        if problem := decimals_error(amount, facts.decimals):
            return f"{problem} in {code}"
    return None


def _check_max_amount(value: Mapping[str, Decimal]) -> str | None:
    return _check_amounts(value) if value else "must have at least one currency"


def _check_ratio(value: Decimal) -> str | None:
    if not value.is_finite() or not 0 < value <= 1:
        return "must be above 0 and not above 1"
    return decimals_error(value, RATE_DECIMALS)


def _check_rate(value: Decimal) -> str | None:
    if not value.is_finite() or not 0 <= value <= 1:
        return "must be from 0 to 1"
    return decimals_error(value, RATE_DECIMALS)


def _check_duration(value: int) -> str | None:
    if 1 <= value <= MAX_DURATION:
        return None
    return f"must be a whole number of months from 1 to {MAX_DURATION}"


def _check_grace_period(value: int) -> str | None:
    if 0 <= value <= MAX_GRACE_PERIOD:
        return None
    return f"must be a whole number of days from 0 to {MAX_GRACE_PERIOD}"


def _check_organisations_fit_access(values: Mapping[str, Any]) -> str | None:
    """Organisations are named if and only if the access requires it."""
    if values.get("access") == Access.ORGANISATIONS:
        return None if values["organisation_ids"] else "must name who may borrow"
    if values.get("access") in Access.values and values["organisation_ids"]:
        return f"must be empty unless access is {Access.ORGANISATIONS}"
    return None


def _check_against_maximum(
    values: Mapping[str, Any], name: str, is_wrong: Callable[[Decimal, Decimal], bool], word: str
) -> str | None:
    """Another limit requires a lent currency and is on its side of the maximum per loan."""
    single = values.get("max_amount")
    if single is None:
        return None
    for code, amount in values[name].items():
        if code not in single:
            return f"must not have {code}, in which max_amount lends nothing"
        if is_wrong(amount, single[code]):
            return f"must not be {word} max_amount in {code}"
    return None


_RULES: dict[str, Callable[[Any], str | None]] = {
    "name": _check_name,
    "access": _check_access,
    "organisation_ids": _check_organisations,
    "investment_categories": _check_categories,
    "min_amount": _check_amounts,
    "max_amount": _check_max_amount,
    "max_outstanding": _check_amounts,
    "collateral_ratio": _check_ratio,
    "interest_rate": _check_rate,
    "duration": _check_duration,
    "grace_period": _check_grace_period,
}
_CROSS_FIELD_RULES: dict[str, Callable[[Mapping[str, Any]], str | None]] = {
    "organisation_ids": _check_organisations_fit_access,
    "min_amount": partial(_check_against_maximum, name="min_amount", is_wrong=gt, word="above"),
    # At least one full loan.
    "max_outstanding": partial(
        _check_against_maximum, name="max_outstanding", is_wrong=lt, word="below"
    ),
}
