"""Durable transfers of the sandbox.

A transfer is stored before its acceptance is returned, and an outcome together with its webhooks,
so a killed sandbox continues where it stopped.
"""

import json
import time
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from config.local.sandbox.database import PlanWebhooks, Row, SandboxDatabase, moment_text, number
from config.local.sandbox.options import SandboxOptions
from config.local.sandbox.rules import FAIL, RETURN, SUCCEED, RequestRejected, TransferOrder

DUPLICATE_MESSAGE = "Transfer with this reference already exists"
FAILED_MESSAGE = "DISBURSE FAILED: The beneficiary bank rejected the transfer"
RETURNED_MESSAGE = "DISBURSE FAILED: Transfer was returned by the beneficiary bank"
SUCCESS_MESSAGE = "Transaction was successful"
# Columns that the provider does not show.
_INTERNAL = {"callback_url", "outcome", "returned", "next_at"}


class SandboxStore(SandboxDatabase):
    """Transfers of the database. `plan_webhooks` gives the webhooks of a final state."""

    def __init__(self, options: SandboxOptions, plan_webhooks: PlanWebhooks) -> None:
        super().__init__(options)
        self._options = options
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
                next_at=None if self._is_held(order.reference) else now + self._options.delay / 2,
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
        query = "SELECT count(*) FROM transfers WHERE substr(reference, 1, ?) = ?"
        [(count,)] = self.all(query, len(prefix), prefix)
        return int(count)

    def advance(self) -> float | None:
        """Advance every due transfer; return the seconds until the next is due, None if none is."""
        return self.end_due("transfers", self._step)

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
                    self._step(row)
                self._step(self.get("transfers", row["id"]))
        return len(rows)

    def return_money(self, reference: str) -> bool:
        """Return a successful transfer by the bank now; False when there is none."""
        with self.transaction():
            row = self.by_reference(reference)
            if row is None or row["status"] != "SUCCESSFUL":
                return False
            self._return(row)
        return True

    def _step(self, row: Row) -> None:
        now = time.time()
        if row["status"] == "NEW":
            self.update(
                "transfers", row["id"], status="PENDING", next_at=now + self._options.delay / 2
            )
        elif row["status"] == "PENDING" and row["outcome"] == FAIL:
            self.move_float(row["debit_currency"], Decimal(row["amount"]) + Decimal(row["fee"]))
            self._end(row, "FAILED", FAILED_MESSAGE)
        elif row["status"] == "PENDING":
            returns_at = now + self._options.return_delay if row["outcome"] == RETURN else None
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
        **{name: row[name] for name in row.keys() if name not in _INTERNAL},  # noqa: SIM118 - values
        "created_at": moment_text(row["created_at"]),
        "amount": number(row["amount"]),
        "fee": number(row["fee"]),
        "meta": json.loads(row["meta"]),
        "requires_approval": 0,
        "is_approved": 1,
    }
