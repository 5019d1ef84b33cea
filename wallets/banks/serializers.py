"""Request bodies about banks."""

import re

from exchange.api.fields import CurrencyField, PatternField, TextField
from exchange.api.serializers import LeanSerializer


class AccountNumberField(PatternField):
    """A bank account number or IBAN."""

    pattern = re.compile(r"[A-Za-z0-9]{4,34}", re.ASCII)
    rule = "must be 4 to 34 letters and digits, without spaces or hyphens"


class ResolveInput(LeanSerializer):
    """A bank account whose holder to resolve."""

    bank_name = TextField(max_length=200, help_text="The whole bank name, as in a withdrawal")
    account_number = AccountNumberField(
        min_length=4,
        max_length=34,
        help_text="Letters and digits, without spaces or hyphens",
    )
    currency = CurrencyField(help_text="Currency of the payout")
