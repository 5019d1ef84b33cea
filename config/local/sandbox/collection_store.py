"""Durable money in: virtual accounts, checkouts, transactions with their outcome, refunds.

A transaction is pending until its outcome is due, or final at once. Its outcome is stored together
with our balance and its webhooks. A chargeback makes a successful transaction failed, or is
listed, as the provider documents it.
"""

import json
import secrets
import time
from dataclasses import asdict, dataclass
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
    PlanWebhooks,
    Row,
    SandboxDatabase,
    moment_text,
    number,
)
from config.local.sandbox.rules import RequestRejected

OPEN, WON, LOST = "initiated", "won", "lost"

_RESPONSES = {PENDING: "Pending", SUCCESSFUL: "success", FAILED: "Transaction declined"}


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


class CollectionStore:
    """Money in, in the sandbox's database. `plan_webhooks` gives the webhooks of a final state."""

    def __init__(self, database: SandboxDatabase, plan_webhooks: PlanWebhooks) -> None:
        self.database = database
        self._plan_webhooks = plan_webhooks

    def create_account(self, order: AccountOrder) -> Row:
        """Store a new virtual account."""
        with self.database.transaction():
            account = self.database.insert(
                "virtual_accounts",
                **asdict(order),
                order_ref=f"URF_{secrets.token_hex(10)}",
                flw_ref=f"FLW-{secrets.token_hex(10)}",
                account_number=f"new-{secrets.token_hex(10)}",
                bank_name=ACCOUNT_BANKS[order.currency],
                created_at=time.time(),
            )
            number = account["id"]
            digits = f"99{number:08d}" if order.currency == "NGN" else f"0233{number:09d}"
            return self.database.update("virtual_accounts", number, account_number=digits)

    def account(self, *, order_ref: str = "", account_number: str = "") -> Row | None:
        """Return the virtual account with this order reference or number."""
        return self.database.first(
            "SELECT * FROM virtual_accounts WHERE order_ref = ? OR account_number = ?",
            order_ref,
            account_number,
        )

    def create_checkout(self, order: CheckoutOrder) -> Row:
        """Store a new checkout."""
        with self.database.transaction():
            return self.database.insert(
                "checkouts", **asdict(order), token=secrets.token_hex(16), created_at=time.time()
            )

    def checkout(self, *, token: str = "", tx_ref: str = "") -> Row | None:
        """Return the checkout with this token, or the latest with this reference."""
        return self.database.first(
            "SELECT * FROM checkouts WHERE token = ? OR tx_ref = ? ORDER BY id DESC", token, tx_ref
        )

    def payment_of(self, checkout: Row) -> Row | None:
        """Return the payment that closed a checkout: the latest that did not fail."""
        return self.database.first(
            "SELECT * FROM transactions WHERE checkout_id = ? AND status != 'failed'"
            " ORDER BY id DESC",
            checkout["id"],
        )

    def pay_checkout(self, checkout: Row, payment: SandboxPayment) -> Row:
        """Pay a checkout, once: return the payment that closed it, if there is one."""
        with self.database.transaction():
            paid = self.payment_of(checkout)
            if paid is not None:
                return paid
            narration = checkout["title"] or "Checkout"
            return self._pay(checkout, payment, narration, checkout_id=checkout["id"])

    def pay_account(self, account: Row, payment: SandboxPayment) -> Row:
        """Pay into a virtual account. Raises `RequestRejected` for a dynamic one paid before."""
        with self.database.transaction():
            earlier = self.database.first(
                "SELECT id FROM transactions WHERE account_id = ? AND status != 'failed'",
                account["id"],
            )
            if account["amount"] is not None and earlier is not None:
                raise RequestRejected("the account takes one payment, and has it")
            narration = account["narration"] or account["holder"]
            return self._pay(account, payment, narration, account_id=account["id"])

    def latest(self, tx_ref: str) -> Row | None:
        """Return the latest transaction with this reference."""
        return self.database.first(
            "SELECT * FROM transactions WHERE tx_ref = ? ORDER BY id DESC", tx_ref
        )

    def settle(self, transaction_id: int, outcome: str) -> Row:
        """End a pending transaction now. Raises `RequestRejected` for any other."""
        with self.database.transaction():
            return self._end(
                self._find("transactions", transaction_id, PENDING, "pending transaction"), outcome
            )

    def charge_back(
        self, transaction_id: int, amount: Decimal | None = None, *, listed: bool = False
    ) -> Row:
        """Take a successful payment back: it is failed, or successful with a chargeback `listed`.

        A part of it (`amount`) is always listed. Raises `RequestRejected` for any other payment.
        """
        with self.database.transaction():
            row = self._find("transactions", transaction_id, SUCCESSFUL, "successful transaction")
            # The fee of an executed payment is not returned.
            left = Decimal(row["amount"]) - Decimal(row["refunded"])
            taken = left if amount is None else amount
            if not 0 < taken <= left:
                raise RequestRejected("there is less left of the transaction")
            self.database.move_float(row["currency"], -taken)
            self.database.update("transactions", transaction_id, charged_back=1)
            if not listed and taken == left:
                return self._set(row, FAILED, CHARGED_BACK)
            self.database.insert(
                "chargebacks",
                **{name: row[name] for name in ("flw_ref", "tx_ref", "currency")},
                transaction_id=transaction_id,
                amount=taken,
                status=OPEN,
                created_at=time.time(),
            )
            return self._set(row, SUCCESSFUL, row["processor_response"])

    def end_chargeback(self, chargeback_id: int, status: str) -> dict[str, Any]:
        """End a chargeback as `won`, which returns its amount, or `lost`."""
        with self.database.transaction():
            row = self._find("chargebacks", chargeback_id, OPEN, "open chargeback")
            if status == WON:
                self.database.move_float(row["currency"], Decimal(row["amount"]))
            ended = self.database.update("chargebacks", chargeback_id, status=status)
            paid = self.database.get("transactions", row["transaction_id"])
            self._set(paid, paid["status"], paid["processor_response"])
            return chargeback_record(ended)

    def refund(self, transaction_id: int, amount: Decimal | None) -> dict[str, Any]:
        """Refund a transaction or a part of it; return the record. Raises `RequestRejected`."""
        with self.database.transaction():
            row = self.database.find("transactions", transaction_id)
            if row is None:
                raise RequestRejected(NO_TRANSACTION)
            left = Decimal(row["amount"]) - Decimal(row["refunded"])
            refunded = left if amount is None else amount
            if row["status"] != SUCCESSFUL or not 0 < refunded <= left:
                raise RequestRejected("The transaction cannot be refunded by this amount")
            self.database.move_float(row["currency"], -refunded)
            total = Decimal(row["refunded"]) + refunded
            self.database.update("transactions", transaction_id, refunded=total)
            refund = self.database.insert(
                "refunds", transaction_id=transaction_id, amount=refunded, created_at=time.time()
            )
        return {
            "id": refund["id"],
            "account_id": MERCHANT_ID,
            "tx_id": transaction_id,
            "flw_ref": row["flw_ref"],
            "wallet_id": MERCHANT_ID,
            "amount_refunded": number(str(refunded)),
            "status": "completed",
            "destination": "payment_source",
            "meta": {"source": "availablebalance"},
            "created_at": moment_text(refund["created_at"]),
        }

    def advance(self) -> float | None:
        """End every due transaction; return the seconds until the next is due, None if none is."""
        return self.database.end_due("transactions", lambda row: self._end(row, row["outcome"]))

    def remove_transactions(self) -> None:
        """Remove all transactions and refunds; our balances stay."""
        with self.database.transaction():
            self.database.run("DELETE FROM refunds")
            self.database.run("DELETE FROM chargebacks")
            self.database.run("DELETE FROM transactions")

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
        row = self.database.insert(
            "transactions",
            **{name: source[name] for name in ("tx_ref", "currency", "email", "holder", "phone")},
            account_id=account_id,
            checkout_id=checkout_id,
            account_number=source["account_number"] if account_id is not None else "",
            flw_ref=f"FLW-{secrets.token_hex(10)}",
            amount=payment.amount,
            app_fee=app_fee(payment.payment_type, source["currency"], payment.amount),
            status=PENDING,
            outcome=payment.outcome,
            payment_type=payment.payment_type,
            processor_response=_RESPONSES[PENDING],
            narration=narration,
            meta=json.dumps(meta),
            webhook=json.dumps({"kind": payment.webhook, "delay": payment.webhook_delay}),
            created_at=now,
            next_at=None if payment.due_in is None else now + payment.due_in,
        )
        return self._end(row, payment.outcome) if payment.due_in is None else row

    def _find(self, table: str, row_id: int, status: str, what: str) -> Row:
        row = self.database.find(table, row_id)
        if row is None or row["status"] != status:
            raise RequestRejected(f"there is no {what} with this id")
        return row

    def _end(self, row: Row, outcome: str) -> Row:
        if outcome == SUCCESSFUL:
            self.database.move_float(
                row["currency"], Decimal(row["amount"]) - Decimal(row["app_fee"])
            )
        return self._set(row, outcome, _RESPONSES[outcome])

    def _set(self, row: Row, status: str, response: str) -> Row:
        current = self.database.update(
            "transactions", row["id"], status=status, processor_response=response, next_at=None
        )
        self.database.queue_webhooks(self._plan_webhooks(current))
        return current
