"""Durable money in: virtual accounts, checkouts, transactions with their outcome, refunds.

A transaction is pending until its outcome is due, or final at once. Its outcome is stored together
with our balance and its webhooks. A chargeback makes a successful transaction failed, or is
listed, as the provider documents it.
"""

import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from config.local.sandbox.collection_records import (
    CHARGED_BACK,
    MERCHANT_ID,
    chargeback_record,
)
from config.local.sandbox.collection_rules import (
    ACCOUNT_BANKS,
    BANK_TRANSFER,
    FAILED,
    NO_TRANSACTION,
    PENDING,
    SUCCESSFUL,
    AccountOrder,
    CheckoutOrder,
    app_fee,
)
from config.local.sandbox.database import (
    OutgoingWebhook,
    Row,
    SandboxDatabase,
    moment_text,
    number,
)
from config.local.sandbox.rules import RequestRejected

WON, LOST = "won", "lost"

_RESPONSES = {PENDING: "Pending", SUCCESSFUL: "success", FAILED: "Transaction declined"}
_CONDITIONS = {
    "tx_ref": "tx_ref = ?",
    "status": "status = ?",
    "currency": "currency = ?",
    "from": "created_at >= ?",
    "to": "created_at < ?",
}
_CHARGEBACK_CONDITIONS = {
    "flw_ref": "flw_ref = ?",
    "status": "status = ?",
    "from": "created_at >= ?",
    "to": "created_at < ?",
}


@dataclass(frozen=True, slots=True)
class SandboxPayment:
    """A payment to be made. `due_in` is the seconds until its outcome; None: at once.

    `payer` is name, bank and account number of a bank transfer. `webhook` is a kind of webhook
    fault, or empty, and `webhook_delay` seconds.
    """

    amount: Decimal
    payment_type: str
    outcome: str = SUCCESSFUL
    due_in: float | None = None
    payer: tuple[str, str, str] = ("", "", "")
    webhook: str = ""
    webhook_delay: float = 0.0


PlanWebhooks = Callable[[Row], Sequence[OutgoingWebhook]]


class CollectionStore:
    """Money in, in the sandbox's database. `plan_webhooks` gives the webhooks of a final state."""

    def __init__(self, database: SandboxDatabase, plan_webhooks: PlanWebhooks) -> None:
        self._database = database
        self._plan_webhooks = plan_webhooks

    def create_account(self, order: AccountOrder) -> Row:
        """Store a new virtual account."""
        with self._database.transaction():
            account_id = self._database.run(
                "INSERT INTO virtual_accounts (order_ref, flw_ref, account_number, bank_name,"
                " currency, tx_ref, email, holder, phone, narration, amount, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                f"URF_{secrets.token_hex(10)}",
                f"FLW-{secrets.token_hex(10)}",
                f"new-{secrets.token_hex(10)}",
                ACCOUNT_BANKS[order.currency],
                order.currency,
                order.tx_ref,
                order.email,
                order.holder,
                order.phone,
                order.narration,
                None if order.amount is None else str(order.amount),
                time.time(),
            )
            digits = f"99{account_id:08d}" if order.currency == "NGN" else f"0233{account_id:09d}"
            self._database.run(
                "UPDATE virtual_accounts SET account_number = ? WHERE id = ?", digits, account_id
            )
        return self._database.one("SELECT * FROM virtual_accounts WHERE id = ?", account_id)

    def account(self, *, order_ref: str = "", account_number: str = "") -> Row | None:
        """Return the virtual account with this order reference or number."""
        return self._database.first(
            "SELECT * FROM virtual_accounts WHERE order_ref = ? OR account_number = ?",
            order_ref,
            account_number,
        )

    def create_checkout(self, order: CheckoutOrder) -> Row:
        """Store a new checkout."""
        with self._database.transaction():
            checkout_id = self._database.run(
                "INSERT INTO checkouts (token, tx_ref, amount, currency, redirect_url, email,"
                " holder, phone, title, meta, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                secrets.token_hex(16),
                order.tx_ref,
                str(order.amount),
                order.currency,
                order.redirect_url,
                order.email,
                order.holder,
                order.phone,
                order.title,
                order.meta,
                time.time(),
            )
        return self._database.one("SELECT * FROM checkouts WHERE id = ?", checkout_id)

    def checkout(self, *, token: str = "", tx_ref: str = "") -> Row | None:
        """Return the checkout with this token, or the latest with this reference."""
        return self._database.first(
            "SELECT * FROM checkouts WHERE token = ? OR tx_ref = ? ORDER BY id DESC", token, tx_ref
        )

    def payment_of(self, checkout: Row) -> Row | None:
        """Return the payment that closed a checkout: the latest that did not fail."""
        return self._database.first(
            "SELECT * FROM transactions WHERE checkout_id = ? AND status != 'failed'"
            " ORDER BY id DESC",
            checkout["id"],
        )

    def pay_checkout(self, checkout: Row, payment: SandboxPayment) -> Row:
        """Pay a checkout, once: return the payment that closed it, if there is one."""
        with self._database.transaction():
            paid = self.payment_of(checkout)
            if paid is not None:
                return paid
            narration = checkout["title"] or "Checkout"
            return self._pay(checkout, payment, narration, checkout_id=checkout["id"])

    def pay_account(self, account: Row, payment: SandboxPayment) -> Row:
        """Pay into a virtual account. Raises `RequestRejected` for a dynamic one paid before."""
        with self._database.transaction():
            earlier = self._database.first(
                "SELECT id FROM transactions WHERE account_id = ? AND status != 'failed'",
                account["id"],
            )
            if account["amount"] is not None and earlier is not None:
                raise RequestRejected("the account takes one payment, and has it")
            narration = account["narration"] or account["holder"]
            return self._pay(account, payment, narration, account_id=account["id"])

    def transaction(self, transaction_id: int) -> Row | None:
        """Return the transaction with this id."""
        return self._database.first("SELECT * FROM transactions WHERE id = ?", transaction_id)

    def latest(self, tx_ref: str) -> Row | None:
        """Return the latest transaction with this reference."""
        return self._database.first(
            "SELECT * FROM transactions WHERE tx_ref = ? ORDER BY id DESC", tx_ref
        )

    def page(
        self, filters: dict[str, str | float], *, page: int, size: int
    ) -> tuple[list[Row], int]:
        """Return one page of transactions, newest first, and the total number.

        `filters` may have `tx_ref`, `status`, `currency`, `from` and `to` (seconds).
        """
        return self._database.page_of("transactions", _CONDITIONS, filters, page=page, size=size)

    def settle(self, transaction_id: int, outcome: str) -> Row:
        """End a pending transaction now. Raises `RequestRejected` for any other."""
        with self._database.transaction():
            row = self.transaction(transaction_id)
            if row is None or row["status"] != PENDING:
                raise RequestRejected("there is no pending transaction with this id")
            return self._end(row, outcome)

    def charge_back(
        self, transaction_id: int, amount: Decimal | None = None, *, listed: bool = False
    ) -> Row:
        """Take a successful payment back: it is failed, or successful with a chargeback `listed`.

        A part of it (`amount`) is always listed. Raises `RequestRejected` for any other payment.
        """
        with self._database.transaction():
            row = self.transaction(transaction_id)
            if row is None or row["status"] != SUCCESSFUL:
                raise RequestRejected("there is no successful transaction with this id")
            # The fee of an executed payment is not returned.
            left = Decimal(row["amount"]) - Decimal(row["refunded"])
            taken = left if amount is None else amount
            if not 0 < taken <= left:
                raise RequestRejected("there is less left of the transaction")
            self._database.move_float(row["currency"], -taken)
            self._database.run(
                "UPDATE transactions SET charged_back = 1 WHERE id = ?", transaction_id
            )
            if not listed and taken == left:
                return self._set(row, FAILED, CHARGED_BACK)
            self._database.run(
                "INSERT INTO chargebacks (transaction_id, flw_ref, tx_ref, currency, amount,"
                " status, created_at) VALUES (?, ?, ?, ?, ?, 'initiated', ?)",
                transaction_id,
                row["flw_ref"],
                row["tx_ref"],
                row["currency"],
                str(taken),
                time.time(),
            )
            return self._set(row, SUCCESSFUL, row["processor_response"])

    def end_chargeback(self, chargeback_id: int, status: str) -> dict[str, Any]:
        """End a chargeback as `won`, which returns its amount, or `lost`."""
        with self._database.transaction():
            row = self._database.first(
                "SELECT * FROM chargebacks WHERE id = ? AND status = 'initiated'", chargeback_id
            )
            if row is None:
                raise RequestRejected("there is no open chargeback with this id")
            if status == WON:
                self._database.move_float(row["currency"], Decimal(row["amount"]))
            self._database.run(
                "UPDATE chargebacks SET status = ? WHERE id = ?", status, chargeback_id
            )
            paid = self._database.one(
                "SELECT * FROM transactions WHERE id = ?", row["transaction_id"]
            )
            self._set(paid, paid["status"], paid["processor_response"])
            return chargeback_record(
                self._database.one("SELECT * FROM chargebacks WHERE id = ?", chargeback_id)
            )

    def chargebacks(
        self, filters: dict[str, str | float], *, page: int, size: int
    ) -> tuple[list[Row], int]:
        """Return one page of chargebacks, newest first, and the total number.

        `filters` may have `flw_ref`, `status`, `from` and `to` (seconds).
        """
        return self._database.page_of(
            "chargebacks", _CHARGEBACK_CONDITIONS, filters, page=page, size=size
        )

    def refund(self, transaction_id: int, amount: Decimal | None) -> dict[str, Any]:
        """Refund a transaction or a part of it; return the record. Raises `RequestRejected`."""
        with self._database.transaction():
            row = self.transaction(transaction_id)
            if row is None:
                raise RequestRejected(NO_TRANSACTION)
            left = Decimal(row["amount"]) - Decimal(row["refunded"])
            refunded = left if amount is None else amount
            if row["status"] != SUCCESSFUL or not 0 < refunded <= left:
                raise RequestRejected("The transaction cannot be refunded by this amount")
            self._database.move_float(row["currency"], -refunded)
            self._database.run(
                "UPDATE transactions SET refunded = ? WHERE id = ?",
                str(Decimal(row["refunded"]) + refunded),
                transaction_id,
            )
            now = time.time()
            refund_id = self._database.run(
                "INSERT INTO refunds (transaction_id, amount, created_at) VALUES (?, ?, ?)",
                transaction_id,
                str(refunded),
                now,
            )
        return {
            "id": refund_id,
            "account_id": MERCHANT_ID,
            "tx_id": transaction_id,
            "flw_ref": row["flw_ref"],
            "wallet_id": MERCHANT_ID,
            "amount_refunded": number(str(refunded)),
            "status": "completed",
            "destination": "payment_source",
            "meta": {"source": "availablebalance"},
            "created_at": moment_text(now),
        }

    def advance(self) -> float | None:
        """End every due transaction; return the seconds until the next is due, None if none is."""
        with self._database.transaction():
            due = "SELECT * FROM transactions WHERE next_at <= ? ORDER BY next_at, id LIMIT 500"
            for row in self._database.all(due, time.time()):
                self._end(row, row["outcome"])
        soonest = self._database.one("SELECT min(next_at) AS at FROM transactions")["at"]
        return None if soonest is None else max(soonest - time.time(), 0.0)

    def remove_transactions(self) -> None:
        """Remove all transactions and refunds; our balances stay."""
        with self._database.transaction():
            self._database.run("DELETE FROM refunds")
            self._database.run("DELETE FROM chargebacks")
            self._database.run("DELETE FROM transactions")

    def accounts(self, limit: int) -> list[Row]:
        """Return the latest virtual accounts, newest first."""
        return self._database.all("SELECT * FROM virtual_accounts ORDER BY id DESC LIMIT ?", limit)

    def checkouts(self, limit: int) -> list[Row]:
        """Return the latest checkouts, newest first."""
        return self._database.all("SELECT * FROM checkouts ORDER BY id DESC LIMIT ?", limit)

    def _pay(
        self,
        source: Row,
        payment: SandboxPayment,
        narration: str,
        *,
        account_id: int | None = None,
        checkout_id: int | None = None,
    ) -> Row:
        meta = {} if account_id is not None else json.loads(source["meta"])
        if payment.payment_type == BANK_TRANSFER:
            name, bank, account_number = payment.payer
            meta |= {
                "originatorname": name or source["holder"],
                "bankname": bank,
                "originatoraccountnumber": account_number,
            }
        now = time.time()
        transaction_id = self._database.run(
            "INSERT INTO transactions (account_id, checkout_id, account_number, tx_ref, flw_ref,"
            " amount, currency, app_fee, status, outcome, payment_type, processor_response,"
            " narration, email, holder, phone, meta, webhook, created_at, next_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            account_id,
            checkout_id,
            source["account_number"] if account_id is not None else "",
            source["tx_ref"],
            f"FLW-{secrets.token_hex(10)}",
            str(payment.amount),
            source["currency"],
            str(app_fee(payment.payment_type, source["currency"], payment.amount)),
            payment.outcome,
            payment.payment_type,
            _RESPONSES[PENDING],
            narration,
            source["email"],
            source["holder"],
            source["phone"],
            json.dumps(meta),
            json.dumps({"kind": payment.webhook, "delay": payment.webhook_delay}),
            now,
            None if payment.due_in is None else now + payment.due_in,
        )
        row = self._database.one("SELECT * FROM transactions WHERE id = ?", transaction_id)
        return self._end(row, payment.outcome) if payment.due_in is None else row

    def _end(self, row: Row, outcome: str) -> Row:
        if outcome == SUCCESSFUL:
            self._database.move_float(
                row["currency"], Decimal(row["amount"]) - Decimal(row["app_fee"])
            )
        return self._set(row, outcome, _RESPONSES[outcome])

    def _set(self, row: Row, status: str, response: str) -> Row:
        self._database.run(
            "UPDATE transactions SET status = ?, processor_response = ?, next_at = NULL"
            " WHERE id = ?",
            status,
            response,
            row["id"],
        )
        current = self._database.one("SELECT * FROM transactions WHERE id = ?", row["id"])
        self._database.queue_webhooks(self._plan_webhooks(current))
        return current
