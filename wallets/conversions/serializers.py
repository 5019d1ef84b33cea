"""Request bodies of quotes and conversions."""

from collections.abc import Mapping
from typing import Any

from exchange.api.fields import TextField
from exchange.api.serializers import LeanSerializer
from wallets.ledger.serializers import AmountField, WalletCurrencyField, check_decimals


class QuoteInput(LeanSerializer):
    """A request for a quote."""

    from_currency = WalletCurrencyField(help_text="Currency to convert")
    to_currency = WalletCurrencyField(help_text="Currency to convert into")
    amount = AmountField()

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check that the currencies differ, and the decimals of the amount."""
        check_decimals(values, errors, currency="from_currency")
        source, target = values.get("from_currency"), values.get("to_currency")
        if source is not None and source == target:
            errors["to_currency"] = ["must be another currency than from_currency"]


class ConversionInput(LeanSerializer):
    """A conversion by a quote."""

    quote_id = TextField(help_text="The `quote_id` of a quote")
    user_id = TextField(
        required=False,
        default=None,
        help_text="ID of the member whose money is converted; by default the organisation's",
    )
