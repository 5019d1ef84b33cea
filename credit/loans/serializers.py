"""Request bodies of loans.

Only the amounts of a loan request may also be strings of ASCII digits.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from credit.configurations.serializers import RateField
from credit.loans.models import RepaymentSource
from credit.loans.services.assessing import MAX_COLLATERALS, LoanRequest
from credit.loans.services.valuation import Pledge
from exchange.api.fields import (
    EnumField,
    NumberField,
    PositiveField,
    TextField,
    currency_error,
)
from exchange.api.operations import closed_object
from exchange.api.references import OwnReferencesSerializer, pop_references
from exchange.api.serializers import LeanSerializer
from exchange.core.currencies import WALLET_CURRENCIES, currencies
from exchange.core.ids import parse_id
from exchange.core.numbers import (
    MAX_NUMBER,
    TOKEN_DECIMALS,
    InvalidNumber,
    decimals_error,
    parse_number,
)

_PLAIN = re.compile(r"[0-9]{1,40}(\.[0-9]{1,40})?", re.ASCII)


# Above zero, at most LARGEST, at most two decimals; leading and trailing zeros allowed.
_UP_TO_LARGEST = (
    r"^(?=.*[1-9])(?=[0-9]{1,40}(\.|$))"
    r"0*([0-9]{1,15}(\.[0-9]{1,2}0{0,38})?|10{15}(\.0{1,40})?)$"
)


_WRONG_NUMBER = f"must have 1 to {MAX_COLLATERALS} items"


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "pattern": _UP_TO_LARGEST},
            {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": int(MAX_NUMBER),
                "multipleOf": 0.01,
            },
        ]
    }
)
class LoanAmountField(serializers.Field[Decimal, Any, Any, Any]):
    """An amount: a decimal string of ASCII digits, or a JSON number."""

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the exact amount, above zero."""
        if isinstance(data, str):
            if not _PLAIN.fullmatch(data):
                raise serializers.ValidationError(
                    "must be a decimal in digits, without sign, space or exponent"
                )
            number = Decimal(data)
            if number > MAX_NUMBER:
                raise serializers.ValidationError("must not be above 1000000000000000")
        else:
            try:
                number = parse_number(data)
            except InvalidNumber as error:
                raise serializers.ValidationError(str(error)) from error
        if number == 0:
            raise serializers.ValidationError("must be above 0")
        return number


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": int(MAX_NUMBER)})
class MonthsField(NumberField):
    """A whole number of months from 1."""

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the months."""
        number = super().to_internal_value(data)
        if number < 1 or number != number.to_integral_value():
            raise serializers.ValidationError("must be a whole number of months from 1")
        return number


@extend_schema_field({"type": "string", "enum": list(WALLET_CURRENCIES)})
class LoanCurrencyField(serializers.Field[str, Any, Any, Any]):
    """The code of a wallet currency."""

    def to_internal_value(self, data: Any) -> str:
        """Return the code."""
        if not isinstance(data, str) or data not in currencies():
            raise currency_error(currencies())
        return data


@extend_schema_field(
    {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_COLLATERALS,
        "items": closed_object(
            {
                "token_id": {"type": "string", "description": "ID of the token"},
                "quantity": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "maximum": int(MAX_NUMBER),
                    "multipleOf": 10**-TOKEN_DECIMALS,
                    "description": "Units, with at most 8 decimals",
                },
            }
        ),
    }
)
class PledgesField(serializers.Field[Any, Any, Any, Any]):
    """`[{token_id, quantity}]`: units of tokens, none named twice."""

    known_keys = ("token_id", "quantity")

    def to_internal_value(self, data: Any) -> tuple[Pledge, ...]:
        """Return the pledges; a malformed id becomes an unused one."""
        if not isinstance(data, list):
            raise serializers.ValidationError("must be an array")
        if not 1 <= len(data) <= MAX_COLLATERALS:
            raise serializers.ValidationError(_WRONG_NUMBER)
        found = [_pledge(item, UUID(int=place)) for place, item in enumerate(data)]
        wrong = [
            f"item {place}: {error}"
            for place, (_, errors) in enumerate(found, start=1)
            for error in errors
        ]
        if wrong:
            raise serializers.ValidationError(wrong)
        pledges = tuple(pledge for pledge, _ in found)
        if len({pledge.token_id for pledge in pledges}) < len(pledges):
            raise serializers.ValidationError("must not name a token twice")
        return pledges


def _pledge(item: Any, placeholder: UUID) -> tuple[Pledge, list[str]]:
    """Return the pledge and its errors; `placeholder` replaces a malformed id."""
    if not isinstance(item, Mapping):
        return Pledge(placeholder, Decimal(0)), ["must be an object"]
    wrong = []
    token_id, quantity = item.get("token_id"), Decimal(0)
    if not isinstance(token_id, str):
        wrong.append("token_id must be a string")
    try:
        quantity = parse_number(item.get("quantity"))
    except InvalidNumber as error:
        wrong.append(f"quantity {error}")
    else:
        if quantity == 0:
            wrong.append("quantity must be above 0")
        if problem := decimals_error(quantity, TOKEN_DECIMALS):
            wrong.append(f"quantity {problem}")
    return Pledge(parse_id(str(token_id)) or placeholder, quantity), wrong


def _optional(max_length: int, text: str = "") -> TextField:
    return TextField(
        max_length=max_length, required=False, allow_blank=True, default="", help_text=text
    )


class LoanInput(OwnReferencesSerializer):
    """A loan to a member against units the member holds."""

    user_id = TextField(max_length=100, help_text="The member who receives the loan")
    duration = MonthsField(help_text="Term in months")
    currency = LoanCurrencyField(help_text="Currency of the amounts")
    interest_rate = RateField(help_text="Per month, 0 to 1 (0.05 is 5 %)")
    amount = LoanAmountField(help_text="Principal")
    repayment_amount = LoanAmountField(help_text="Total repayment: principal and interest")
    collaterals = PledgesField(help_text="Collateral; no token twice")
    loan_configuration_id = TextField(
        max_length=100, help_text="The loan configuration with the terms"
    )
    reason = _optional(500, "Purpose of the loan")
    bank_name = _optional(200, "Bank for repayments")
    bank_code = _optional(40, "Code of the bank")
    account_number = _optional(40, "Account for repayments")

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check the decimals of the amounts against the currency."""
        if "currency" not in values:
            return
        decimals = currencies()[values["currency"]].decimals
        for name in ("amount", "repayment_amount"):
            if name in values and (problem := decimals_error(values[name], decimals)):
                errors[name] = [problem]


@extend_schema_field(
    {"type": "number", "exclusiveMinimum": 0, "maximum": int(MAX_NUMBER), "multipleOf": 0.01}
)
class PaymentField(PositiveField):
    """A JSON number above 0. Its decimals are checked later, with the loan's currency."""


class RepaymentInput(LeanSerializer):
    """A payment of the borrower."""

    amount = PaymentField(help_text="In the loan's currency, at most the outstanding balance")
    paid_from = EnumField(
        allowed=RepaymentSource.values,
        required=False,
        default=RepaymentSource.WALLET,
        help_text="The borrower's wallet, or the cash collateral of the loan",
    )


class CollateralInput(LeanSerializer):
    """Units to pledge."""

    collaterals = PledgesField(help_text="Units of tokens; no token twice")


class ReleaseInput(LeanSerializer):
    """Collateral to release: units, cash or both."""

    collaterals = PledgesField(
        required=False, default=(), help_text="Units of tokens; no token twice"
    )
    cash_collateral = PaymentField(
        required=False, default=Decimal(0), help_text="Of the cash collateral, to the wallet"
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check that something is to be released."""
        if not errors and not values["collaterals"] and not values["cash_collateral"]:
            errors["collaterals"] = ["is required without cash_collateral"]


def build_loan_request(values: dict[str, Any]) -> LoanRequest:
    """Build the loan request from validated values."""
    rest = dict(values)
    return LoanRequest(
        user_id=parse_id(rest.pop("user_id")),
        configuration_id=parse_id(rest.pop("loan_configuration_id")),
        references=pop_references(rest),
        **rest,
    )
