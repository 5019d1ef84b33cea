"""What each country's payouts need besides bank and account number (`payment-provider` facts)."""

from __future__ import annotations

import re

from exchange.core.errors import InvalidRequest
from wallets.withdrawals.models import BankAccount

# E.164: what a network can dial from anywhere.
PHONE = re.compile(r"\+[1-9][0-9]{6,14}", re.ASCII)
INVALID_PHONE = "must be a phone number with its country code, such as +27821234567"
_BRANCH = {"branch_code": "branch code"}
_RECIPIENT = {
    "recipient_first_name": "recipient's first name",
    "recipient_last_name": "recipient's last name",
    "recipient_email": "recipient's email",
    "recipient_phone": "recipient's phone",
    "recipient_address": "recipient's address",
}
_REQUIRED_FIELDS: dict[str, dict[str, str]] = {
    "GHS": _BRANCH,
    "UGX": _BRANCH,
    "TZS": _BRANCH,
    "ZAR": _RECIPIENT,
}


def required_fields(currency: str) -> dict[str, str]:
    """Fields of the bank record the currency needs, with the words people know them by."""
    return dict(_REQUIRED_FIELDS.get(currency, {}))


def clean_phone(text: str) -> str:
    """A phone number as it is kept, without the spaces and hyphens that people write.

    Raises `InvalidRequest` for what is no number with its country code.
    """
    number = re.sub(r"[ ()-]", "", text)
    if not PHONE.fullmatch(number):
        raise InvalidRequest.for_field("recipient_phone", f"recipient_phone {INVALID_PHONE}")
    return number


def missing_fields(currency: str, bank: BankAccount) -> list[str]:
    """What is still missing on `bank`, in people's words; [] when the payout can be sent."""
    return [
        label
        for name, label in required_fields(currency).items()
        if not getattr(bank, name).strip()
    ]
