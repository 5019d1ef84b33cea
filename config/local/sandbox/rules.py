"""Fees, required fields and rejections of the provider. Pure functions.

NGN fees are the documented ones. The v3 reference has none for other currencies, so the sandbox
uses flat fees of its own.
"""

import json
import secrets
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from config.local.sandbox.banks import bank_by_code
from exchange.core.numbers import MAX_NUMBER

COUNTRY_OF_CURRENCY = {
    "NGN": "NG",
    "KES": "KE",
    "GHS": "GH",
    "ZAR": "ZA",
    "UGX": "UG",
    "TZS": "TZ",
}
# Customers also pay in USD, which no bank payout is made in.
COLLECTION_CURRENCIES = (*COUNTRY_OF_CURRENCY, "USD")
FLAT_FEES = {
    "KES": Decimal(100),
    "GHS": Decimal(10),
    "ZAR": Decimal(10),
    "UGX": Decimal(3000),
    "TZS": Decimal(3000),
}
BRANCH_CURRENCIES = frozenset({"GHS", "UGX", "TZS"})
MAX_TEXT = 2_000
IDENTITY_FIELDS = ("first_name", "last_name", "email", "mobile_number", "recipient_address")

SUCCEED, FAIL, RETURN = "succeed", "fail", "return"
BLACKLISTED_ACCOUNT = "0690000036"
FAILING_ACCOUNT = "0690000037"
RETURNED_ACCOUNT = "0690000038"


class RequestRejected(Exception):
    """The request is rejected with this message and HTTP 400."""


@dataclass(frozen=True, slots=True)
class TransferOrder:
    """A validated transfer, before the checks of the store. `meta` is JSON."""

    reference: str
    account_number: str
    bank_code: str
    bank_name: str
    currency: str
    debit_currency: str
    amount: Decimal
    fee: Decimal
    full_name: str
    narration: str
    meta: str
    callback_url: str
    outcome: str


def fee_for(currency: str, amount: Decimal) -> Decimal:
    """Return the fee of a transfer in its currency."""
    if currency != "NGN":
        return FLAT_FEES[currency]
    if amount <= 5_000:
        return Decimal("10.75")
    return Decimal("26.875") if amount <= 50_000 else Decimal("53.75")


def outcome_for(account_number: str, reference: str) -> str:
    """Return the outcome of a transfer, by the suffix of its reference, else by account."""
    if reference.endswith("_PMCK_ST_F"):
        return FAIL
    if reference.endswith("_PMCK"):
        return SUCCEED
    return {FAILING_ACCOUNT: FAIL, RETURNED_ACCOUNT: RETURN}.get(account_number, SUCCEED)


def read_order(body: dict[str, Any]) -> TransferOrder:
    """Parse the body of `POST /transfers`. Raises `RequestRejected`."""
    currency = required_text(body, "currency")
    country = COUNTRY_OF_CURRENCY.get(currency)
    if country is None:
        raise RequestRejected(f"Transfers in {currency} are not supported")
    account_number = required_text(body, "account_number")
    bank = bank_by_code(country, required_text(body, "account_bank"))
    if bank is None:
        raise RequestRejected("Please provide a valid bank code")
    amount = read_amount(body.get("amount"))
    reference = optional_text(body, "reference") or f"sandbox-{secrets.token_hex(12)}"
    if len(reference) > 100:
        raise RequestRejected("reference length must be less than or equal to 100 characters long")
    if account_number == BLACKLISTED_ACCOUNT:
        raise RequestRejected("Payout was made to a blacklisted account number")
    if currency in BRANCH_CURRENCIES:
        branch_code = required_text(body, "destination_branch_code")
        if branch_code not in {branch.code for branch in bank.branches}:
            raise RequestRejected("destination_branch_code is not a branch of this bank")
    if currency == "ZAR":
        _check_identity(body.get("meta"))
    return TransferOrder(
        reference=reference,
        account_number=account_number,
        bank_code=bank.code,
        bank_name=bank.name,
        currency=currency,
        debit_currency=optional_text(body, "debit_currency") or currency,
        amount=amount,
        fee=fee_for(currency, amount),
        full_name=optional_text(body, "beneficiary_name"),
        narration=optional_text(body, "narration"),
        meta=json.dumps(body.get("meta"), default=str),
        callback_url=optional_text(body, "callback_url"),
        outcome=outcome_for(account_number, reference),
    )


def read_amount(value: Any) -> Decimal:
    """Parse an amount. Raises `RequestRejected`."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise RequestRejected("amount must be a number")
    amount = Decimal(value)
    if not amount.is_finite() or not 0 < amount <= MAX_NUMBER:
        raise RequestRejected("amount must be a positive number")
    if amount != round(amount, 2):
        raise RequestRejected("amount has too many decimals")
    return amount


def required_text(body: dict[str, Any], key: str) -> str:
    """Return a text that is not blank. Raises `RequestRejected`."""
    value = optional_text(body, key)
    if not value:
        raise RequestRejected(f"{key} is required")
    return value


def optional_text(body: dict[str, Any], key: str) -> str:
    """Return a text, empty when absent. Raises `RequestRejected`."""
    value = body.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RequestRejected(f"{key} must be a string")
    if len(value) > MAX_TEXT:
        raise RequestRejected(f"{key} must have {MAX_TEXT} characters at most")
    return value.strip()


def _check_identity(meta: Any) -> None:
    """Check the identity, sent as an object or as a list of one object."""
    entry = meta[0] if isinstance(meta, list) and meta else meta
    for key in IDENTITY_FIELDS:
        value = entry.get(key) if isinstance(entry, dict) else None
        if not isinstance(value, str) or not value.strip():
            raise RequestRejected(f"{key} is required in meta for ZAR transfers")
