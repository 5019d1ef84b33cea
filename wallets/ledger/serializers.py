"""Fields of requests that move money between wallets."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import NumberField, currency_error, validate_decimals
from exchange.core.currencies import WALLET_CURRENCIES, currencies
from exchange.core.numbers import MAX_NUMBER


@extend_schema_field(
    {"type": "number", "exclusiveMinimum": 0, "maximum": int(MAX_NUMBER), "multipleOf": 0.01}
)
class AmountField(NumberField):
    """An amount above 0; its decimals are checked against its currency (`check_decimals`)."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault(
            "help_text",
            "Above 0, with at most the currency's number of decimals (UGX none, others 2)",
        )
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the amount."""
        amount = super().to_internal_value(data)
        if not amount:
            raise serializers.ValidationError("must be above 0")
        return amount


@extend_schema_field({"type": "string", "enum": list(WALLET_CURRENCIES)})
class WalletCurrencyField(serializers.Field[str, Any, Any, Any]):
    """The code of any currency with wallets, USD included."""

    def run_validation(self, data: Any = serializers.empty) -> str:
        """Return the code; reject absent, null and other values alike."""
        if not isinstance(data, str) or data not in currencies():
            raise currency_error(WALLET_CURRENCIES)
        return data


def check_decimals(values: Mapping[str, Any], errors: dict[str, Any], *, currency: str) -> None:
    """Add an error to `errors` if `amount` has more decimals than its currency.

    `currency` names the field of the amount's currency.
    """
    if "amount" not in values or currency not in values:
        return
    try:
        validate_decimals(values["amount"], currencies()[values[currency]].decimals)
    except serializers.ValidationError as error:
        errors["amount"] = error.detail
