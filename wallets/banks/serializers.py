"""Request bodies about banks."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers

from exchange.api.fields import CurrencyField, TextField
from exchange.api.serializers import LeanSerializer

_ACCOUNT_NUMBER = re.compile(r"[A-Za-z0-9]{4,34}", re.ASCII)


class AccountNumberField(TextField):
    """A bank account number or IBAN: 4 to 34 ASCII letters and digits."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"pattern": f"^{_ACCOUNT_NUMBER.pattern}$"}

    def to_internal_value(self, data: Any) -> str:
        """Return the number unchanged."""
        text = super().to_internal_value(data)
        if not _ACCOUNT_NUMBER.fullmatch(text):
            raise serializers.ValidationError(
                "must be 4 to 34 letters and digits, without spaces or hyphens"
            )
        return text


class ResolveInput(LeanSerializer):
    """A bank account whose holder to resolve."""

    bank_name = TextField(max_length=200, help_text="The whole bank name, as in a withdrawal")
    account_number = AccountNumberField(
        min_length=4,
        max_length=34,
        help_text="Letters and digits, without spaces or hyphens",
    )
    currency = CurrencyField(help_text="Currency of the payout")
