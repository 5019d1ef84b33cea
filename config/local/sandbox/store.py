"""Durable transfers of the sandbox.

A transfer is stored before its acceptance is returned, and an outcome together with its webhooks,
so a killed sandbox continues where it stopped.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any

from config.local.sandbox.database import (
    OutgoingWebhook,
    Row,
    SandboxDatabase,
    moment_text,
    number,
)
from config.local.sandbox.rules import FAIL, RETURN, SUCCEED, RequestRejected, TransferOrder

DUPLICATE_MESSAGE = "Transfer with this reference already exists"
FAILED_MESSAGE = "DISBURSE FAILED: The beneficiary bank rejected the transfer"
RETURNED_MESSAGE = "DISBURSE FAILED: Transfer was returned by the beneficiary bank"
SUCCESS_MESSAGE = "Transaction was successful"


PlanWebhooks = Callable[[Row], Sequence[OutgoingWebhook]]


class SandboxStore(SandboxDatabase):
    """Transfers of the database. `plan_webhooks` gives the webhooks of a final state."""

    def __init__(
        self,
        folder: Path,
        *,
        delay: float,
        return_delay: float,
        floats: dict[str, Decimal],
        plan_webhooks: PlanWebhooks,
    ) -> None:
        super().__init__(folder, floats=floats)
        self._delay = delay
        self._return_delay = return_delay
        self._plan_webhooks = plan_webhooks

    def accept(self, order: TransferOrder) -> Row:
        """Store a new transfer and debit amount and fee. Raises `RequestRejected`."""
        now = time.time()
        with self.transaction():
            if self.by_reference(order.reference) is not None:
                raise RequestRejected(DUPLICATE_MESSAGE)
            self.move_float(order.debit_currency, -(order.amount + order.fee))
            return self.insert(
                "transfers",
                **asdict(order),
                status="NEW",
                created_at=now,
                next_at=None if self._is_held(order.reference) else now + self._delay / 2,
            )

    def hold(self, reference: str, *, held: bool) -> None:
        """Keep the transfer with this reference open until `settle`, or no longer."""
        with self.transaction():
            self.run("DELETE FROM held WHERE reference = ?", reference)
            if held:
                self.run("INSERT INTO held VALUES (?)", reference)

    def _is_held(self, reference: str) -> bool:
        return self.first("SELECT 1 FROM held WHERE reference = ?", reference) is not None

    def by_reference(self, reference: str) -> Row | None:
        """Return the transfer with this reference."""
        return self.first("SELECT * FROM transfers WHERE reference = ?", reference)

    def count_retries(self, reference: str) -> int:
        """Return the number of retries of this reference."""
        prefix = reference + "_RETRY_"
        query = "SELECT count(*) AS n FROM transfers WHERE substr(reference, 1, ?) = ?"
        return int(self.one(query, len(prefix), prefix)["n"])

    def advance(self) -> float | None:
        """Advance every due transfer; return the seconds until the next is due, None if none is."""
        now = time.time()
        due = "SELECT * FROM transfers WHERE next_at <= ? ORDER BY next_at, id LIMIT 500"
        with self.transaction():
            for row in self.all(due, now):
                self._step(row, now)
        return self.seconds_until_due("transfers")

    def settle(self, reference: str | None, status: str | None = None) -> int:
        """Settle one or all open transfers now, by default as their account says; return how many.

        `status` is FAILED or SUCCESSFUL.
        """
        query = "SELECT * FROM transfers WHERE status IN ('NEW', 'PENDING')"
        with self.transaction():
            rows = [row for row in self.all(query) if reference in {None, row["reference"]}]
            for row in rows:
                if status is not None:
                    outcome = FAIL if status == "FAILED" else SUCCEED
                    self.update("transfers", row["id"], outcome=outcome)
                if row["status"] == "NEW":
                    self._step(row, time.time())
                self._step(self.one("SELECT * FROM transfers WHERE id = ?", row["id"]), time.time())
        return len(rows)

    def return_money(self, reference: str) -> bool:
        """Return a successful transfer by the bank now; False when there is none."""
        with self.transaction():
            row = self.by_reference(reference)
            if row is None or row["status"] != "SUCCESSFUL":
                return False
            self._return(row)
        return True

    def _step(self, row: Row, now: float) -> None:
        if row["status"] == "NEW":
            self.update("transfers", row["id"], status="PENDING", next_at=now + self._delay / 2)
        elif row["status"] == "PENDING" and row["outcome"] == FAIL:
            self.move_float(row["debit_currency"], Decimal(row["amount"]) + Decimal(row["fee"]))
            self._end(row, "FAILED", FAILED_MESSAGE)
        elif row["status"] == "PENDING":
            returns_at = now + self._return_delay if row["outcome"] == RETURN else None
            self._end(row, "SUCCESSFUL", SUCCESS_MESSAGE, next_at=returns_at)
        elif row["status"] == "SUCCESSFUL":
            self._return(row)

    def _return(self, row: Row) -> None:
        # The amount is returned; the fee of an executed transfer is not.
        self.move_float(row["debit_currency"], Decimal(row["amount"]))
        self._end(row, "FAILED", RETURNED_MESSAGE, returned=1)

    def _end(
        self,
        row: Row,
        status: str,
        message: str,
        *,
        next_at: float | None = None,
        returned: int = 0,
    ) -> None:
        ended = self.update(
            "transfers",
            row["id"],
            status=status,
            complete_message=message,
            next_at=next_at,
            returned=returned,
        )
        self.queue_webhooks(self._plan_webhooks(ended))


def rest_record(row: Row) -> dict[str, Any]:
    """Return a transfer as the REST calls render it."""
    return {
        "id": row["id"],
        "account_number": row["account_number"],
        "bank_code": row["bank_code"],
        "full_name": row["full_name"],
        "created_at": moment_text(row["created_at"]),
        "currency": row["currency"],
        "debit_currency": row["debit_currency"],
        "amount": number(row["amount"]),
        "fee": number(row["fee"]),
        "status": row["status"],
        "reference": row["reference"],
        "meta": json.loads(row["meta"]),
        "narration": row["narration"],
        "complete_message": row["complete_message"],
        "requires_approval": 0,
        "is_approved": 1,
        "bank_name": row["bank_name"],
    }
