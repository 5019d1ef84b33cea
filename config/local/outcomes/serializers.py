"""Bodies of the outcomes that take one."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config.local.sandbox.collection_rules import FAILED, PAYMENT_TYPES, SUCCESSFUL
from exchange.api.fields import EnumField, TextField
from exchange.api.serializers import LeanSerializer
from wallets.ledger.serializers import AmountField


class RejectionInput(LeanSerializer):
    """Why a withdrawal is rejected."""

    reason = TextField(
        required=False, default="", max_length=500, help_text="Shown as `reason` of the withdrawal"
    )


class PaymentInput(LeanSerializer):
    """A payment into a virtual account, or of a checkout."""

    account_number = TextField(
        required=False, default=None, max_length=40, help_text="Of one of your virtual accounts"
    )
    deposit = TextField(required=False, default=None, max_length=36, help_text="A Pending checkout")
    amount = AmountField(
        required=False, default=None, help_text="What is paid; of a checkout by default its amount"
    )
    payer_name = TextField(
        required=False, default=None, max_length=200, help_text="Of a bank transfer"
    )
    payment_type = EnumField(
        required=False,
        default=None,
        allowed=sorted(PAYMENT_TYPES),
        help_text="How a checkout is paid; by default as is usual in its currency",
    )
    status = EnumField(
        required=False,
        default=SUCCESSFUL,
        allowed=[SUCCESSFUL, FAILED],
        help_text="Whether a checkout's payment succeeds",
    )

    def check(self, values: Mapping[str, Any], errors: dict[str, Any]) -> None:
        """Check that one way is given, with the fields that belong to it."""
        account = values.get("account_number")
        if bool(account) == bool(values.get("deposit")):
            errors.setdefault("account_number", ["or deposit is required, and not both"])
        elif account and not values.get("amount"):
            errors.setdefault("amount", ["is required"])
        elif account and (values.get("payment_type") or values.get("status") != SUCCESSFUL):
            errors.setdefault("payment_type", ["and status are of a checkout"])


class DisputeInput(LeanSerializer):
    """What the payer's bank demands back."""

    amount = AmountField(
        required=False, default=None, help_text="By default all that the deposit has left"
    )


class SampleInput(LeanSerializer):
    """The type of a sample event."""

    type = EnumField(allowed=settings.EVENT_TYPES, help_text="Event type")
