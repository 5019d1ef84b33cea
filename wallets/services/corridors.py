"""What each country's payouts need besides bank and account number (`payment-provider` facts)."""

from __future__ import annotations

from wallets.models import BankAccount

_BRANCH = {"branch_code": "branch code"}
_RECIPIENT = {
    "recipient_first_name": "recipient's first name",
    "recipient_last_name": "recipient's last name",
    "recipient_email": "recipient's email",
    "recipient_phone": "recipient's phone",
    "recipient_address": "recipient's address",
}
_NEEDED: dict[str, dict[str, str]] = {
    "GHS": _BRANCH,
    "UGX": _BRANCH,
    "TZS": _BRANCH,
    "ZAR": _RECIPIENT,
}


def needed_fields(currency: str) -> dict[str, str]:
    """Fields of the bank record the currency needs, with the words people know them by."""
    return dict(_NEEDED.get(currency, {}))


def missing_fields(currency: str, bank: BankAccount) -> list[str]:
    """What is still missing on `bank`, in people's words; [] when the payout can be sent."""
    return [
        label for name, label in needed_fields(currency).items() if not getattr(bank, name).strip()
    ]
