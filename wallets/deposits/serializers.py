"""Request bodies of deposits."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from exchange.api.fields import HIDDEN, CurrencyField, TextField
from exchange.api.references import OwnReferencesSerializer
from exchange.api.serializers import LeanSerializer
from exchange.core.currencies import VIRTUAL_ACCOUNT_CURRENCIES
from wallets.ledger.serializers import AmountField, WalletCurrencyField, check_decimals

_BVN = re.compile(r"[0-9]{11}")
_ADDRESS = re.compile(rf"https://[A-Za-z0-9.-]+(:[0-9]{{1,5}})?([/?#][^\s\\{HIDDEN}]*)?")


class BvnField(TextField):
    """A Bank Verification Number: 11 digits, or blank where it is allowed."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"pattern": f"^{_BVN.pattern}$"}
    blank_pattern: ClassVar[str] = f"^({_BVN.pattern})?$"

    def to_internal_value(self, data: Any) -> str:
        """Return the number unchanged."""
        text = super().to_internal_value(data)
        if not _BVN.fullmatch(text):
            raise serializers.ValidationError("must have 11 digits")
        return text


class RedirectField(TextField):
    """An https address of a host and maybe a port, without credentials."""

    schema_keywords: ClassVar[Mapping[str, str]] = {"pattern": f"^{_ADDRESS.pattern}$"}

    def to_internal_value(self, data: Any) -> str:
        """Return the address unchanged."""
        text = super().to_internal_value(data)
        if not _ADDRESS.fullmatch(text):
            raise serializers.ValidationError(
                "must be an https address, such as https://example.com/paid"
            )
        return text


@extend_schema_field({"type": "string", "enum": list(VIRTUAL_ACCOUNT_CURRENCIES)})
class VirtualAccountCurrencyField(CurrencyField):
    """The currency of a virtual account; the service refuses other payout currencies."""


class VirtualAccountInput(LeanSerializer):
    """A virtual account."""

    currency = VirtualAccountCurrencyField(help_text="Currency of the account")
    bvn = BvnField(
        max_length=11,
        required=False,
        default="",
        allow_blank=True,
        help_text="Bank Verification Number of the holder, 11 digits; required for NGN. Passed to "
        "the payment provider and not stored",
    )


class CheckoutInput(OwnReferencesSerializer):
    """A payment that a person makes on the payment provider's page."""

    amount = AmountField()
    currency = WalletCurrencyField(help_text="Currency of the payment")
    redirect_url = RedirectField(
        max_length=500,
        help_text="Where the payer returns: an https address on one of your registered origins",
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check the number of decimals against the currency."""
        check_decimals(values, errors, currency="currency")
