"""Control endpoints of money in: payments as customers and their banks make them.

`control` adds them to its table.
"""

from collections.abc import Callable, Collection
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from config.local.sandbox.collection_records import (
    account_record,
    chargeback_record,
    transaction_record,
)
from config.local.sandbox.collection_rules import (
    BANK_TRANSFER,
    FAILED,
    PENDING,
    SUCCESSFUL,
    payment_types,
)
from config.local.sandbox.collection_store import LOST, WON, CollectionStore, SandboxPayment
from config.local.sandbox.database import Row, number
from config.local.sandbox.faults import WEBHOOK_KINDS
from config.local.sandbox.rules import MAX_TEXT, read_amount

_MAX_SECONDS = 30 * 24 * 3600
Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=_MAX_SECONDS)]


class Payer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who pays by bank transfer."""

    name: Text = ""
    bank: Text = ""
    account_number: Text = ""


class PaymentOrder(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `pay`."""

    account_number: Text = ""
    tx_ref: Text = ""
    amount: Decimal | UnsetType = UNSET
    payment_type: Text = ""
    payer: Payer = Payer()
    status: Text = SUCCESSFUL
    settle_after: Seconds | UnsetType = UNSET
    webhook: Text = ""
    webhook_delay: Seconds = 0.0


class Change(msgspec.Struct):
    """The body of what changes a transaction or chargeback, its `id`."""

    id: Annotated[int, msgspec.Meta(gt=0, lt=10**18)]
    status: Text | UnsetType = UNSET
    amount: Decimal | None = None
    listed: bool = False


class CollectionControl:
    """Endpoints to pay, settle and charge back, and to see what there is."""

    def __init__(self, store: CollectionStore) -> None:
        self._store = store
        self.table: dict[tuple[str, str], Callable[[Any], Any]] = {
            ("GET", "/sandbox/accounts"): self._accounts,
            ("GET", "/sandbox/checkouts"): self._checkouts,
            ("GET", "/sandbox/transactions"): self._transactions,
            ("DELETE", "/sandbox/transactions"): lambda _: store.remove_transactions(),
            ("POST", "/sandbox/pay"): self._pay,
            ("POST", "/sandbox/settle-payment"): self._settle,
            ("POST", "/sandbox/charge-back"): self._charge_back,
            ("GET", "/sandbox/chargebacks"): self._chargebacks,
            ("POST", "/sandbox/end-chargeback"): self._end_chargeback,
        }

    def _accounts(self, _: Any) -> list[dict[str, Any]]:
        return [
            {**account_record(row), "tx_ref": row["tx_ref"], "currency": row["currency"]}
            for row in self._store.database.latest_of("virtual_accounts")
        ]

    def _checkouts(self, _: Any) -> list[dict[str, Any]]:
        return [
            {
                "token": row["token"],
                "tx_ref": row["tx_ref"],
                "amount": number(row["amount"]),
                "currency": row["currency"],
                "redirect_url": row["redirect_url"],
            }
            for row in self._store.database.latest_of("checkouts")
        ]

    def _transactions(self, _: Any) -> list[dict[str, Any]]:
        return [
            {
                **transaction_record(row),
                "refunded": number(row["refunded"]),
                "charged_back": bool(row["charged_back"]),
            }
            for row in self._store.database.latest_of("transactions")
        ]

    def _pay(self, body: Any) -> dict[str, Any]:
        order = msgspec.convert(body, PaymentOrder)
        if bool(order.account_number) == bool(order.tx_ref):
            raise ValueError("pay into an account_number or a checkout's tx_ref")
        if order.account_number:
            account = self._store.account(account_number=order.account_number)
            if account is None:
                raise ValueError("there is no virtual account with this number")
            row = self._store.pay_account(account, _read_payment(order, account, [BANK_TRANSFER]))
        else:
            checkout = self._store.checkout(tx_ref=order.tx_ref)
            if checkout is None:
                raise ValueError("there is no checkout with this tx_ref")
            ways = payment_types(checkout["currency"])
            row = self._store.pay_checkout(checkout, _read_payment(order, checkout, ways))
        return transaction_record(row)

    def _settle(self, body: Any) -> dict[str, Any]:
        change = msgspec.convert(body, Change)
        status = _status(change, SUCCESSFUL, FAILED)
        return transaction_record(self._store.settle(change.id, status))

    def _charge_back(self, body: Any) -> dict[str, Any]:
        change = msgspec.convert(body, Change)
        amount = None if change.amount is None else read_amount(change.amount)
        return transaction_record(self._store.charge_back(change.id, amount, listed=change.listed))

    def _chargebacks(self, _: Any) -> list[dict[str, Any]]:
        return [chargeback_record(row) for row in self._store.database.latest_of("chargebacks")]

    def _end_chargeback(self, body: Any) -> dict[str, Any]:
        change = msgspec.convert(body, Change)
        status = _status(change, WON, LOST)
        return self._store.end_chargeback(change.id, status)


def _read_payment(order: PaymentOrder, source: Row, ways: list[str]) -> SandboxPayment:
    """Check a payment. Raises ValueError or `RequestRejected`."""
    amount = source["amount"] if order.amount is UNSET else order.amount
    if amount is None:
        raise ValueError("amount is required for a permanent account")
    status = _one_of("status", order.status, (SUCCESSFUL, FAILED, PENDING))
    # Without a time it stays pending until /sandbox/settle-payment.
    default = _MAX_SECONDS if status == PENDING else None
    return SandboxPayment(
        amount=read_amount(Decimal(amount)),
        payment_type=_one_of("payment_type", order.payment_type or ways[0], ways),
        outcome=SUCCESSFUL if status == PENDING else status,
        due_in=default if order.settle_after is UNSET else order.settle_after,
        payer=msgspec.structs.astuple(order.payer),
        webhook=_one_of("webhook", order.webhook, ("", *sorted(WEBHOOK_KINDS))),
        webhook_delay=order.webhook_delay,
    )


def _status(change: Change, default: str, other: str) -> str:
    given = default if change.status is UNSET else change.status
    return _one_of("status", given, (default, other))


def _one_of(name: str, value: str, allowed: Collection[str]) -> str:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(filter(None, allowed))}")
    return value
