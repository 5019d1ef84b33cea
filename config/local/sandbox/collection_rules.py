"""Fees, required fields and rejections of money in. Pure functions.

The fee of a payment (`app_fee`) is a share of its amount, rounded half up to cents: 1.4 % of a bank
transfer (at most 2,000 in NGN), 2.5 % of mobile money, 3.8 % of a card payment. The provider
publishes no such table for all currencies; these figures are the sandbox's.
"""

import json
import secrets
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from urllib.parse import urlsplit

from config.local.sandbox.rules import (
    COLLECTION_CURRENCIES,
    RequestRejected,
    optional_text,
    read_amount,
    required_text,
)

BANK_TRANSFER, CARD = "bank_transfer", "card"
MOBILE_MONEY = {
    "KES": "mobilemoneykenya",
    "GHS": "mobilemoneyghana",
    "UGX": "mobilemoneyuganda",
    "TZS": "mobilemoneytanzania",
}
PAYMENT_TYPES = frozenset({BANK_TRANSFER, CARD, *MOBILE_MONEY.values()})
PENDING, SUCCESSFUL, FAILED = "pending", "successful", "failed"
ACCOUNT_BANKS = {"NGN": "Wema Bank", "GHS": "Fidelity Bank Ghana"}
NO_TRANSACTION = "No transaction was found for this id"

_TRANSFER_FEE, _MOBILE_FEE, _CARD_FEE = Decimal("0.014"), Decimal("0.025"), Decimal("0.038")
_LARGEST_NGN_FEE = Decimal(2000)
_CENT = Decimal("0.01")
_MAX_META = 100


@dataclass(frozen=True, slots=True)
class AccountOrder:
    """A validated virtual account; without `amount` it is permanent. A BVN is not kept."""

    tx_ref: str
    currency: str
    email: str
    holder: str
    phone: str
    narration: str
    amount: Decimal | None


@dataclass(frozen=True, slots=True)
class CheckoutOrder:
    """A validated checkout. `meta` is JSON."""

    tx_ref: str
    amount: Decimal
    currency: str
    redirect_url: str
    email: str
    holder: str
    phone: str
    title: str
    meta: str


def app_fee(payment_type: str, currency: str, amount: Decimal) -> Decimal:
    """Return the provider's fee of a payment in its currency."""
    if payment_type == BANK_TRANSFER:
        fee = (amount * _TRANSFER_FEE).quantize(_CENT, ROUND_HALF_UP)
        return min(fee, _LARGEST_NGN_FEE) if currency == "NGN" else fee
    share = _CARD_FEE if payment_type == CARD else _MOBILE_FEE
    return (amount * share).quantize(_CENT, ROUND_HALF_UP)


def payment_types(currency: str) -> list[str]:
    """Return the ways to pay a checkout in a currency, the usual one first."""
    transfer = [BANK_TRANSFER] if currency != "USD" else []
    mobile = [MOBILE_MONEY[currency]] if currency in MOBILE_MONEY else []
    return [*transfer, *mobile, CARD]


def read_account_order(body: dict[str, Any]) -> AccountOrder:
    """Parse the body of `POST /virtual-account-numbers`. Raises `RequestRejected`."""
    currency = optional_text(body, "currency") or "NGN"
    if currency not in ACCOUNT_BANKS:
        raise RequestRejected(f"Virtual accounts in {currency} are not supported")
    permanent = body.get("is_permanent", False)
    if not isinstance(permanent, bool):
        raise RequestRejected("is_permanent must be a boolean")
    bvn = optional_text(body, "bvn")
    if permanent and currency == "NGN" and not bvn:
        raise RequestRejected("bvn is required for a permanent account")
    if bvn and not (len(bvn) == 11 and bvn.isascii() and bvn.isdigit()):
        raise RequestRejected("bvn must have 11 digits")
    names = (optional_text(body, "firstname"), optional_text(body, "lastname"))
    narration = optional_text(body, "narration")
    return AccountOrder(
        tx_ref=_tx_ref(optional_text(body, "tx_ref") or f"sandbox-{secrets.token_hex(12)}"),
        currency=currency,
        email=_email(body),
        holder=narration or " ".join(filter(None, names)) or "Sandbox customer",
        phone=optional_text(body, "phonenumber"),
        narration=narration,
        amount=None if permanent else read_amount(body.get("amount")),
    )


def read_checkout_order(body: dict[str, Any]) -> CheckoutOrder:
    """Parse the body of `POST /payments`. Raises `RequestRejected`."""
    currency = required_text(body, "currency")
    if currency not in COLLECTION_CURRENCIES:
        raise RequestRejected(f"Payments in {currency} are not supported")
    customer = body.get("customer")
    if not isinstance(customer, dict):
        raise RequestRejected("customer is required")
    customizations = body.get("customizations")
    if not isinstance(customizations, dict | None):
        raise RequestRejected("customizations must be an object")
    return CheckoutOrder(
        tx_ref=_tx_ref(required_text(body, "tx_ref")),
        amount=read_amount(body.get("amount")),
        currency=currency,
        redirect_url=_redirect_url(required_text(body, "redirect_url")),
        email=_email(customer),
        holder=optional_text(customer, "name") or "Anonymous customer",
        phone=optional_text(customer, "phonenumber"),
        title=optional_text(customizations or {}, "title"),
        meta=_meta(body.get("meta")),
    )


def _tx_ref(text: str) -> str:
    if len(text) > 100:
        raise RequestRejected("tx_ref length must be less than or equal to 100 characters long")
    return text


def _email(body: dict[str, Any]) -> str:
    email = required_text(body, "email")
    name, _, domain = email.partition("@")
    if not name or not domain or not email.isprintable() or " " in email:
        raise RequestRejected("email must be a valid email")
    return email


def _redirect_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable or not text.isascii() or not text.isprintable() or " " in text:
        raise RequestRejected("redirect_url must be a valid URL")
    return text


def _meta(value: Any) -> str:
    if not isinstance(value, dict | None):
        raise RequestRejected("meta must be an object")
    values = value or {}
    scalar = (str, int, Decimal, bool)
    if len(values) > _MAX_META or not all(isinstance(each, scalar) for each in values.values()):
        raise RequestRejected("meta must have at most 100 keys with plain values")
    return json.dumps(values, default=str)
