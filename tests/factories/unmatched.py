"""Payments at the sandbox that fit no checkout and no virtual account, and decisions about them."""

from decimal import Decimal
from typing import Protocol

import requests
from django.db.models import Sum

from exchange.core.ids import new_reference
from tests.factories.deposits import ACTOR
from wallets.deposits.models import Payment
from wallets.deposits.services.payments import look_up, report_payment
from wallets.ledger.models import Entry
from wallets.providers.collection import ChargeHint, CheckoutRequest
from wallets.providers.registry import payment_provider


class HasUrl(Protocol):
    """A sandbox of the payment provider, in a process of its own or in this one."""

    @property
    def url(self) -> str:
        """Its address."""


REFUNDS = {"method": "POST", "path_prefix": "/v3/transactions"}


def pay_without_owner(sandbox: HasUrl, amount: str = "1000") -> Payment:
    """Pay a checkout that only the provider knows, and look the payment up: it is unmatched."""
    reference = new_reference("elsewhere_")
    payment_provider().create_checkout(
        CheckoutRequest(
            tx_ref=reference,
            amount=Decimal(amount),
            currency="NGN",
            redirect_url="https://example.com/paid",
            customer_email="ada@example.com",
        )
    )
    body = {"tx_ref": reference, "payment_type": "bank_transfer", "webhook": "no_webhook"}
    made = requests.post(f"{sandbox.url}/sandbox/pay", json=body, timeout=20)
    made.raise_for_status()
    transaction_id = str(made.json()["id"])
    report_payment(ChargeHint(transaction_id, reference))
    payment = Payment.objects.get(transaction_id=int(transaction_id))
    look_up(payment.pk, ACTOR)
    payment.refresh_from_db()
    return payment


def refunded_at_provider(sandbox: HasUrl, payment: Payment) -> Decimal:
    """Return what the provider has refunded of the payment."""
    listed = requests.get(f"{sandbox.url}/sandbox/transactions", timeout=20).json()
    (row,) = (row for row in listed if int(row["id"]) == payment.transaction_id)
    return Decimal(str(row["refunded"]))


def system_total(kind: str, currency: str = "NGN") -> Decimal:
    """Return the sum of the entries of a system account."""
    entries = Entry.objects.filter(account__kind=kind, asset_id=currency)
    total: Decimal | None = entries.aggregate(total=Sum("amount"))["total"]
    return total or Decimal(0)
