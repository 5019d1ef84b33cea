"""Payout details that a currency requires in addition to bank and account number."""

import re

from exchange.core.errors import InvalidRequest
from wallets.banks.models import BankAccount

# E.164
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
    """Return the bank record fields that the currency requires, with their labels."""
    return dict(_REQUIRED_FIELDS.get(currency, {}))


def clean_phone(text: str) -> str:
    """Return a phone number without spaces, hyphens and brackets.

    Raises `InvalidRequest` if it is not a number with a country code.
    """
    number = re.sub(r"[ ()-]", "", text)
    if not PHONE.fullmatch(number):
        raise InvalidRequest.for_field("recipient_phone", f"recipient_phone {INVALID_PHONE}")
    return number


def missing_fields(currency: str, bank: BankAccount) -> list[str]:
    """Return the labels of required details missing on `bank`."""
    return [
        label
        for name, label in required_fields(currency).items()
        if not getattr(bank, name).strip()
    ]
