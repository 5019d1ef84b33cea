"""Request bodies of loan configurations, and their OpenAPI parameters and errors."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from drf_spectacular.drainage import set_override
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema_field
from rest_framework import serializers

from credit.configurations.examples import TERMS
from credit.configurations.models import Access, ConfigurationStatus, GraceUnit
from credit.configurations.services.terms import (
    MAX_DURATION,
    MAX_GRACE_PERIOD,
    MAX_NAME_LENGTH,
    MAX_ORGANISATIONS,
    RATE_DECIMALS,
    Terms,
    find_errors,
)
from exchange.api.fields import EnumField, NumberField, TextField, currency_error
from exchange.api.serializers import LeanSerializer
from exchange.core.currencies import WALLET_CURRENCIES, currencies
from exchange.core.errors import InvalidCurrency
from exchange.core.examples import ORGANISATION_ID
from exchange.core.ids import parse_id
from exchange.core.numbers import MAX_NUMBER, InvalidNumber, parse_number
from exchange.core.text import match_choice
from exchange.tokens.models import InvestmentCategory

_AMOUNTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        code: {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": int(MAX_NUMBER),
            "multipleOf": 0.01,
            "description": f"In {code}",
        }
        for code in WALLET_CURRENCIES
    },
    "additionalProperties": False,
}


_RATE = {"type": "number", "maximum": 1, "multipleOf": 10**-RATE_DECIMALS}


@extend_schema_field(
    {
        "type": "array",
        "minItems": 1,
        "maxItems": len(InvestmentCategory.values),
        "uniqueItems": True,
        "items": {"type": "string", "enum": list(InvestmentCategory.values)},
    }
)
class CategoriesField(serializers.Field[list[str], Any, Any, Any]):
    """Investment categories, case-insensitive."""

    def to_internal_value(self, data: Any) -> list[str]:
        """Return the categories as defined."""
        allowed: list[str] = list(InvestmentCategory.values)
        items = _require_list(data, len(allowed))
        found = [match_choice(item, allowed) for item in items]
        if None in found:
            raise serializers.ValidationError(f"must be of [{', '.join(allowed)}]")
        return [spelling for spelling in found if spelling is not None]


@extend_schema_field(
    {
        "type": "array",
        "maxItems": MAX_ORGANISATIONS,
        "uniqueItems": True,
        "items": {"type": "string", "format": "uuid"},
    }
)
class OrganisationsField(serializers.Field[list[UUID], Any, Any, Any]):
    """Ids of organisations."""

    def to_internal_value(self, data: Any) -> list[UUID]:
        """Return the ids."""
        items = _require_list(data, MAX_ORGANISATIONS)
        found = [parse_id(item) if isinstance(item, str) else None for item in items]
        if None in found:
            raise serializers.ValidationError("must contain only organisation IDs, which are UUIDs")
        return [item for item in found if item is not None]


@extend_schema_field(_AMOUNTS)
class AmountsField(serializers.Field[dict[str, Decimal], Any, Any, Any]):
    """Amounts by currency: `{"NGN": 2000000}`."""

    def to_internal_value(self, data: Any) -> dict[str, Decimal]:
        """Return the exact amounts by currency."""
        if not isinstance(data, Mapping):
            raise serializers.ValidationError(
                'must be an object of currencies and amounts, such as {"NGN": 2000000}'
            )
        if any(code not in currencies() for code in data):
            raise currency_error(currencies())
        found, errors = {}, {}
        for code, item in data.items():
            try:
                found[code] = parse_number(item)
            except InvalidNumber as error:
                errors[code] = [str(error)]
        if errors:
            raise serializers.ValidationError(errors)
        return found


@extend_schema_field({**_AMOUNTS, "minProperties": 1})
class LentAmountsField(AmountsField):
    """Amounts in at least one currency."""


@extend_schema_field({**_RATE, "exclusiveMinimum": 0})
class RatioField(NumberField):
    """A share above 0, at most 1."""


class WholeNumberField(NumberField):
    """A whole number. Its range is documented here and validated by the rules of terms."""

    def __init__(self, *, minimum: int, maximum: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        set_override(self, "field", {"type": "integer", "minimum": minimum, "maximum": maximum})

    def to_internal_value(self, data: Any) -> Any:
        """Return the number as an int."""
        number = super().to_internal_value(data)
        if number != number.to_integral_value():
            raise serializers.ValidationError("must be a whole number")
        return int(number)


@extend_schema_field({"type": "number", "minimum": 0, "maximum": 1})
class RateField(NumberField):
    """A rate from 0 to 1."""

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the rate."""
        if isinstance(data, int | Decimal) and not isinstance(data, bool) and not 0 <= data <= 1:
            raise serializers.ValidationError("must be from 0 to 1")
        return super().to_internal_value(data)


class TermsInput(LeanSerializer):
    """All terms of a loan configuration."""

    name = TextField(max_length=MAX_NAME_LENGTH, help_text="Display name")
    access = EnumField(
        allowed=Access.values,
        required=False,
        default=str(Access.OWN),
        help_text="Whose members may borrow: your `own`, also those of the named `organisations`, "
        "or those of any organisation (`public`)",
    )
    organisation_ids = OrganisationsField(
        required=False,
        default=[],
        help_text="Whose members may borrow where access is `organisations`; empty otherwise. Ids "
        "are not validated: an unknown id has no effect",
    )
    investment_categories = CategoriesField(help_text="Eligible collateral, case-insensitive")
    min_amount = AmountsField(
        required=False,
        default={},
        help_text="Minimum per loan. Default: the amount that earns one minor unit of interest per "
        "month (at rate 0, one minor unit), at most `max_amount`",
    )
    max_amount = LentAmountsField(help_text="Maximum per loan, in each currency that is lent")
    max_outstanding = AmountsField(
        required=False,
        default={},
        help_text="Maximum total principal of open loans, in the currencies with such a limit",
    )
    collateral_ratio = RatioField(
        help_text="Maximum LTV: share of the collateral's value that may be lent"
    )
    interest_rate = RateField(help_text="Per month, 0 to 1")
    duration = WholeNumberField(minimum=1, maximum=MAX_DURATION, help_text="Maximum term in months")
    grace_period = WholeNumberField(
        minimum=0,
        maximum=MAX_GRACE_PERIOD,
        required=False,
        default=0,
        help_text="Days from overdue to default",
    )
    grace_period_unit = EnumField(
        allowed=GraceUnit.values,
        required=False,
        default=str(GraceUnit.DAYS),
        help_text="Always days",
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Add the errors of the rules of terms for well-typed fields."""
        for name, text in find_errors(values).items():
            errors.setdefault(name, [text])


def build_terms(values: Mapping[str, Any]) -> Terms:
    """Build terms from validated values."""
    return Terms(**{name: value for name, value in values.items() if name != "grace_period_unit"})


def _require_list(data: Any, maximum: int) -> list[Any]:
    if not isinstance(data, list):
        raise serializers.ValidationError("must be an array")
    if len(data) > maximum:
        raise serializers.ValidationError(f"must have at most {maximum} items")
    return data


STATUS_PARAMETER = OpenApiParameter(
    "status", enum=list(ConfigurationStatus.values), description="Status"
)


CURRENCY_PARAMETER = OpenApiParameter(
    "currency", enum=WALLET_CURRENCIES, description="A currency that is lent"
)


TERMS_EXAMPLE = OpenApiExample(
    "Up to 2,000,000 NGN for a year, for another organisation's members too",
    value={
        "name": "Working capital, secured",
        "access": "organisations",
        "organisation_ids": [ORGANISATION_ID],
        **TERMS,
    },
    request_only=True,
)


FAILURES: dict[str, dict[str, str]] = {
    "400": {
        "invalid_request": "collateral_ratio must be above 0 and not above 1; max_amount must not "
        "have more than 2 decimals in NGN",
        "invalid_currency": f"max_amount: {InvalidCurrency(WALLET_CURRENCIES).message}",
    },
    "404": {"loan_configuration_not_found": "Loan configuration not found"},
    "409": {
        "change_pending": "Another change of this loan configuration waits for a decision",
        "state_conflict": "The loan configuration is Retired: that is final",
    },
}
