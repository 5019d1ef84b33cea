"""Request body of withdrawals."""

from collections.abc import Mapping
from dataclasses import Field
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import (
    CurrencyField,
    EmailField,
    NumberField,
    PatternField,
    TextField,
)
from exchange.api.references import OwnReferencesSerializer
from exchange.core.numbers import MAX_NUMBER
from wallets.banks.payout_details import INVALID_PHONE, PAYOUT_DETAILS, PHONE
from wallets.banks.serializers import AccountNumberField
from wallets.ledger.serializers import check_decimals


class PhoneField(PatternField):
    """A phone number with its country code, digits only after the plus sign."""

    pattern = PHONE
    rule = INVALID_PHONE


@extend_schema_field(
    {"type": "number", "minimum": 1, "maximum": int(MAX_NUMBER), "multipleOf": 0.01}
)
class WithdrawalAmountField(NumberField):
    """Amount of a withdrawal; its decimals are checked against the currency."""


def _detail_field(detail: Field[Any]) -> serializers.Field[Any, Any, Any, Any]:
    said = detail.metadata
    limit = {"max_length": said["max_length"]} if said["max_length"] else {}
    kind = {"name": TextField, "email": EmailField, "phone": PhoneField}[said["kind"]]
    return kind(required=False, allow_blank=True, default="", help_text=said["help_text"], **limit)


class WithdrawalInput(OwnReferencesSerializer):
    """A withdrawal to a bank account. Payouts to some countries need the optional fields."""

    amount = WithdrawalAmountField(
        help_text="In units of `currency`, with at most its number of decimals (UGX none, others 2)"
    )
    bank_name = TextField(
        max_length=200,
        help_text="The whole name as `GET /v1/api/banks` has it; case, accents, punctuation and "
        "repeated spaces do not matter",
    )
    account_name = TextField(
        max_length=200,
        help_text="Account holder; for NGN the name the payment provider resolves replaces it",
    )
    account_number = AccountNumberField(
        min_length=4,
        max_length=34,
        help_text="Letters and digits, without spaces or hyphens",
    )
    currency = CurrencyField(help_text="Currency of the payout")

    def get_fields(self) -> dict[str, Any]:
        """Return the declared fields, the references and the payout details."""
        details = {detail.name: _detail_field(detail) for detail in PAYOUT_DETAILS}
        return {**super().get_fields(), **details}

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check the number of decimals against the currency."""
        check_decimals(values, errors, currency="currency")
