"""What clients send about withdrawals and banks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from exchange.api.fields import EmailField, NumberField, check_decimals
from wallets.api.fields import AccountNumberField, CurrencyField, LeanSerializer, NameField
from wallets.selectors.currencies import currencies


class WithdrawalInput(LeanSerializer):
    """A withdrawal to a bank account. The optional fields are what some countries need besides."""

    amount = NumberField(
        help_text="In units of `currency`, with at most its number of decimals (UGX none, others 2)"
    )
    bank_name = NameField(
        max_length=200,
        help_text="The whole name as `GET /v1/api/banks` has it; case, accents, punctuation and "
        "repeated spaces do not matter",
    )
    account_name = NameField(
        max_length=200,
        help_text="Account holder; for NGN the name the payment provider resolves replaces it",
    )
    account_number = AccountNumberField(min_length=4, max_length=34)
    currency = CurrencyField()
    branch_code = NameField(
        max_length=40,
        required=False,
        allow_blank=True,
        default="",
        help_text="GHS, UGX and TZS payouts need it; whoever approves is asked for it otherwise",
    )
    recipient_first_name = NameField(
        max_length=100, required=False, allow_blank=True, default="", help_text="For ZAR payouts"
    )
    recipient_last_name = NameField(
        max_length=100, required=False, allow_blank=True, default="", help_text="For ZAR payouts"
    )
    recipient_email = EmailField(
        required=False, allow_blank=True, default="", help_text="For ZAR payouts"
    )
    recipient_phone = NameField(
        max_length=30, required=False, allow_blank=True, default="", help_text="For ZAR payouts"
    )
    recipient_address = NameField(
        max_length=300, required=False, allow_blank=True, default="", help_text="For ZAR payouts"
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """The amount has no more decimals than its currency."""
        if "amount" not in values or "currency" not in values:
            return
        try:
            check_decimals(values["amount"], currencies()[values["currency"]].decimals)
        except serializers.ValidationError as error:
            errors["amount"] = error.detail


class ResolveInput(LeanSerializer):
    """An account whose holder's name is asked for."""

    bank_name = NameField(max_length=200, help_text="The whole name, as for a withdrawal")
    account_number = AccountNumberField(min_length=4, max_length=34)
    currency = CurrencyField()
