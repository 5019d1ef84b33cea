"""Payout details that a currency requires in addition to bank and account number."""

import re
from dataclasses import dataclass, field, fields
from typing import Any

from exchange.core.errors import InvalidRequest
from wallets.banks.models import BankAccount


def _optional_detail(use: str, *, most: int | None = None, kind: str = "name") -> Any:
    """Declare an optional detail with its API help text, maximum length and kind."""
    return field(default="", metadata={"help_text": use, "max_length": most, "kind": kind})


@dataclass(frozen=True, kw_only=True)
class PayoutDetails:
    """Payout details that some corridors require: branch or recipient.

    Request body, command, form and page derive from this declaration. The model has a field of
    each name.
    """

    branch_code: str = _optional_detail(
        "GHS, UGX and TZS payouts need it; without it the approver must add it", most=40
    )
    recipient_first_name: str = _optional_detail("For ZAR payouts", most=100)
    recipient_last_name: str = _optional_detail("For ZAR payouts", most=100)
    recipient_email: str = _optional_detail("For ZAR payouts", kind="email")
    recipient_phone: str = _optional_detail(
        "For ZAR payouts; with its country code, such as +27821234567", most=30, kind="phone"
    )
    recipient_address: str = _optional_detail("For ZAR payouts", most=300)


PAYOUT_DETAILS = fields(PayoutDetails)

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
