"""Request bodies of deposits."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import CurrencyField, NumberField, TextField, validate_decimals
from exchange.api.references import OwnReferencesSerializer
from exchange.api.serializers import LeanSerializer
from exchange.core.currencies import currencies
from exchange.core.numbers import MAX_NUMBER


class VirtualAccountInput(LeanSerializer):
    """A virtual account."""

    currency = CurrencyField(help_text="NGN or GHS")
    bvn = TextField(
        max_length=11,
        required=False,
        default="",
        allow_blank=True,
        help_text="Bank Verification Number of the holder, 11 digits; required for NGN. Passed to "
        "the payment provider and not stored",
    )


@extend_schema_field(
    {"type": "number", "minimum": 0.01, "maximum": int(MAX_NUMBER), "multipleOf": 0.01}
)
class DepositAmountField(NumberField):
    """Amount of a checkout, above 0; its decimals are checked against the currency."""

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the number."""
        number = super().to_internal_value(data)
        if number == 0:
            raise serializers.ValidationError("must be above 0")
        return number


class CheckoutInput(OwnReferencesSerializer):
    """A payment that a person makes on the payment provider's page."""

    amount = DepositAmountField(
        help_text="In units of `currency`, with at most its number of decimals (UGX none, others 2)"
    )
    currency = CurrencyField(help_text="Currency of the payment")
    redirect_url = TextField(
        max_length=500,
        help_text="Where the payer returns: an https address on one of your registered origins",
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check the number of decimals against the currency."""
        if "amount" not in values or "currency" not in values:
            return
        try:
            validate_decimals(values["amount"], currencies()[values["currency"]].decimals)
        except serializers.ValidationError as error:
            errors["amount"] = error.detail
