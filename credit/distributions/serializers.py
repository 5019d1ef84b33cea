"""Request bodies of distributions."""

import datetime as dt
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from credit.distributions.models import DistributionType
from credit.distributions.schedule import UNIT_AMOUNT_DECIMALS, Basis
from credit.distributions.services.terms import (
    MAX_DAYS,
    MAX_RATE,
    RATE_DECIMALS,
    DistributionTerms,
)
from exchange.api.fields import (
    EnumField,
    FlagField,
    MomentField,
    NumberField,
    PositiveField,
    TextField,
)
from exchange.api.serializers import LeanSerializer
from exchange.core.numbers import MAX_NUMBER, TOKEN_DECIMALS
from wallets.ledger.serializers import WalletCurrencyField

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class DayField(TextField):
    """A day: ISO 8601."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"format": "date"}

    def to_internal_value(self, data: Any) -> Any:
        """Return the date."""
        text = super().to_internal_value(data)
        try:
            if _DATE.fullmatch(text):
                return dt.date.fromisoformat(text)
        except ValueError:
            pass
        raise serializers.ValidationError("must be an ISO 8601 date, such as 2025-07-10")


@extend_schema_field(
    {
        "type": "number",
        "minimum": 0,
        "maximum": int(MAX_NUMBER),
        "multipleOf": 10**-UNIT_AMOUNT_DECIMALS,
    }
)
class UnitAmountField(NumberField):
    """An amount for one unit."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(decimals=UNIT_AMOUNT_DECIMALS, **kwargs)


@extend_schema_field(
    {"type": "number", "minimum": 0, "maximum": MAX_RATE, "multipleOf": 10**-RATE_DECIMALS}
)
class PercentField(NumberField):
    """Percent from 0 to 100."""

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the percentage."""
        number = super().to_internal_value(data)
        if number > MAX_RATE:
            raise serializers.ValidationError(f"must not be above {MAX_RATE}")
        return number


@extend_schema_field(
    {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": int(MAX_NUMBER),
        "multipleOf": 10**-TOKEN_DECIMALS,
    }
)
class PrincipalField(PositiveField):
    """An amount that bears interest."""


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MAX_DAYS})
class DaysField(NumberField):
    """A whole number of days."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the days."""
        number = super().to_internal_value(data)
        if number != number.to_integral_value() or not 1 <= number <= MAX_DAYS:
            raise serializers.ValidationError(f"must be a whole number from 1 to {MAX_DAYS}")
        return int(number)


class BasisInput(LeanSerializer):
    """What interest is computed from, by ACT/365."""

    principal_per_unit = PrincipalField(help_text="What bears interest, for one unit")
    rate = PercentField(decimals=RATE_DECIMALS, help_text="Percent a year")
    days = DaysField(help_text="Days that bear interest, up to the record")


_TAKES_UNITS = (DistributionType.REDEMPTION, DistributionType.EXIT)


class DistributionInput(LeanSerializer):
    """A proposed distribution."""

    type = EnumField(allowed=DistributionType.values, help_text="What is paid")
    currency = WalletCurrencyField(help_text="Currency of the token")
    amount_per_unit = UnitAmountField(
        required=False, default=None, help_text="Paid for one unit; not of Interest"
    )
    basis = BasisInput(
        required=False,
        default=None,
        help_text="Of Interest: what it is computed from",
    )
    final = FlagField(
        required=False,
        default=False,
        help_text="Of an Exit: whether it is the last one, which takes the units back",
    )
    record_at = MomentField(help_text="Who holds units at this time is paid")
    payment_date = DayField(help_text="Paid from the start of this day in UTC")
    corrects = TextField(
        required=False,
        default=None,
        max_length=100,
        help_text="ID of a paid distribution, whose right terms these are: only the difference is"
        " paid, or taken back",
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check that Interest has a basis, and another type an amount."""
        if "type" not in values or {"amount_per_unit", "basis"} & errors.keys():
            return
        interest = values["type"] == DistributionType.INTEREST
        wanted, other = "amount_per_unit", "basis"
        if interest:
            wanted, other = other, wanted
        if values[wanted] is None:
            errors[wanted] = [f"is required for {values['type']}"]
        if values[other] is not None:
            errors[other] = [f"must be left out for {values['type']}"]
        if values.get("final") and (values["type"] not in _TAKES_UNITS or values.get("corrects")):
            errors["final"] = [f"must be left out for {values['type']}"]


def build_terms(values: Mapping[str, Any]) -> DistributionTerms:
    """Return the terms of a valid body."""
    basis = values["basis"]
    return DistributionTerms(
        type=values["type"],
        currency=values["currency"],
        amount=values["amount_per_unit"],
        basis=Basis(**basis) if basis else None,
        final=values["final"]
        or (values["type"] == DistributionType.REDEMPTION and not values["corrects"]),
        record_at=values["record_at"],
        payment_date=values["payment_date"],
    )
