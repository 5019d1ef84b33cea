"""Request bodies of deposits."""

import re
from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field

from exchange.api.fields import HIDDEN, CurrencyField, PatternField
from exchange.api.references import OwnReferencesSerializer
from exchange.api.serializers import LeanSerializer
from exchange.core.currencies import VIRTUAL_ACCOUNT_CURRENCIES
from wallets.ledger.serializers import AmountField, WalletCurrencyField, check_decimals


class BvnField(PatternField):
    """A Bank Verification Number."""

    pattern = re.compile(r"[0-9]{11}")
    rule = "must have 11 digits"


class RedirectField(PatternField):
    """An https address of a host and maybe a port, without credentials."""

    pattern = re.compile(rf"https://[A-Za-z0-9.-]+(:[0-9]{{1,5}})?([/?#][^\s\\{HIDDEN}]*)?")
    rule = "must be an https address, such as https://example.com/paid"


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
