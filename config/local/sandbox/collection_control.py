"""Control endpoints of money in: payments as customers and their banks make them.

`control` adds them to its table.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from config.local.sandbox.collection_records import (
    account_record,
    chargeback_record,
    transaction_record,
)
from config.local.sandbox.collection_rules import (
    BANK_TRANSFER,
    FAILED,
    PAYMENT_TYPES,
    PENDING,
    SUCCESSFUL,
    payment_types,
)
from config.local.sandbox.collection_store import LOST, WON, CollectionStore, SandboxPayment
from config.local.sandbox.database import Row, number
from config.local.sandbox.faults import WEBHOOK_KINDS
from config.local.sandbox.rules import optional_text, read_amount

_MAX_SECONDS = 30 * 24 * 3600
_PAY_FIELDS = frozenset(
    {
        "account_number",
        "tx_ref",
        "amount",
        "payment_type",
        "payer",
        "status",
        "settle_after",
        "webhook",
        "webhook_delay",
    }
)


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
        values = _object(body)
        unknown = set(values) - _PAY_FIELDS
        if unknown:
            raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
        number, tx_ref = optional_text(values, "account_number"), optional_text(values, "tx_ref")
        if bool(number) == bool(tx_ref):
            raise ValueError("pay into an account_number or a checkout's tx_ref")
        if number:
            account = self._store.account(account_number=number)
            if account is None:
                raise ValueError("there is no virtual account with this number")
            row = self._store.pay_account(account, _read_payment(values, account, [BANK_TRANSFER]))
        else:
            checkout = self._store.checkout(tx_ref=tx_ref)
            if checkout is None:
                raise ValueError("there is no checkout with this tx_ref")
            ways = payment_types(checkout["currency"])
            row = self._store.pay_checkout(checkout, _read_payment(values, checkout, ways))
        return transaction_record(row)

    def _settle(self, body: Any) -> dict[str, Any]:
        values = _object(body)
        status = _outcome(values.get("status", SUCCESSFUL))
        return transaction_record(self._store.settle(_id(values), status))

    def _charge_back(self, body: Any) -> dict[str, Any]:
        values = _object(body)
        listed = values.get("listed", False)
        if not isinstance(listed, bool):
            raise TypeError("listed must be true or false")
        amount = values.get("amount")
        if amount is not None:
            amount = read_amount(Decimal(amount) if isinstance(amount, str) else amount)
        return transaction_record(self._store.charge_back(_id(values), amount, listed=listed))

    def _chargebacks(self, _: Any) -> list[dict[str, Any]]:
        return [chargeback_record(row) for row in self._store.database.latest_of("chargebacks")]

    def _end_chargeback(self, body: Any) -> dict[str, Any]:
        values = _object(body)
        status = values.get("status", WON)
        if status not in {WON, LOST}:
            raise ValueError("status must be won or lost")
        return self._store.end_chargeback(_id(values), str(status))


def _read_payment(values: dict[str, Any], source: Row, ways: list[str]) -> SandboxPayment:
    """Parse a payment. Raises ValueError, TypeError or `RequestRejected`."""
    payment_type = values.get("payment_type", ways[0])
    if payment_type not in PAYMENT_TYPES or payment_type not in ways:
        raise ValueError(f"payment_type must be one of {', '.join(ways)}")
    amount = values.get("amount", source["amount"])
    if amount is None:
        raise ValueError("amount is required for a permanent account")
    payer = values.get("payer", {})
    if not isinstance(payer, dict) or set(payer) - {"name", "bank", "account_number"}:
        raise ValueError("payer has name, bank and account_number")
    webhook = values.get("webhook", "")
    if webhook not in {"", *WEBHOOK_KINDS}:
        raise ValueError(f"webhook must be one of {', '.join(sorted(WEBHOOK_KINDS))}")
    status = values.get("status", SUCCESSFUL)
    due_in = None
    if status == PENDING or "settle_after" in values:
        # Without a time it stays pending until /sandbox/settle-payment.
        due_in = _seconds(values, "settle_after", _MAX_SECONDS)
    return SandboxPayment(
        amount=read_amount(Decimal(amount) if isinstance(amount, str) else amount),
        payment_type=payment_type,
        outcome=SUCCESSFUL if status == PENDING else _outcome(status),
        due_in=due_in,
        payer=(
            optional_text(payer, "name"),
            optional_text(payer, "bank"),
            optional_text(payer, "account_number"),
        ),
        webhook=webhook,
        webhook_delay=_seconds(values, "webhook_delay", 0),
    )


def _object(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise TypeError("the body must be an object")
    return body


def _id(values: dict[str, Any]) -> int:
    value = values.get("id")
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 10**18:
        raise ValueError("id must be that of a transaction or chargeback")
    return value


def _outcome(value: Any) -> str:
    if value not in {SUCCESSFUL, FAILED}:
        raise ValueError("status must be successful, failed or, for a payment, pending")
    return str(value)


def _seconds(values: dict[str, Any], key: str, default: float) -> float:
    value = values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise TypeError(f"{key} must be seconds")
    if not 0 <= value <= _MAX_SECONDS:
        raise ValueError(f"{key} must be 0 to {_MAX_SECONDS} seconds")
    return float(value)
