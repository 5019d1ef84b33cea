"""Durable state of the sandbox: transfers, undelivered webhooks and our float, in SQLite.

A transfer is stored before its acceptance is returned, and an outcome together with its webhooks,
so a killed sandbox continues where it stopped. One connection, one lock.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from wallets.providers.sandbox.rules import (
    COUNTRY_OF_CURRENCY,
    FAIL,
    RETURN,
    RequestRejected,
    TransferOrder,
)

OPENING_FLOAT = Decimal(10) ** 12
DUPLICATE_MESSAGE = "Transfer with this reference already exists"
FLOAT_MESSAGE = "Insufficient funds in customer wallet"
FAILED_MESSAGE = "DISBURSE FAILED: The beneficiary bank rejected the transfer"
RETURNED_MESSAGE = "DISBURSE FAILED: Transfer was returned by the beneficiary bank"
SUCCESS_MESSAGE = "Transaction was successful"

_SCHEMA = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
_COLUMNS = (
    "reference, account_number, bank_code, bank_name, full_name, currency, debit_currency, amount,"
    " fee, status, narration, meta, callback_url, outcome, created_at, next_at"
)


@dataclass(frozen=True, slots=True)
class OutgoingWebhook:
    """A webhook to store: URL, exact body, and whether its hash is to be wrong."""

    url: str
    body: str
    forged: bool


@dataclass(frozen=True, slots=True)
class DueWebhook:
    """A webhook that is due; `attempts` counts the earlier ones."""

    id: int
    url: str
    body: bytes
    forged: bool
    attempts: int


Row = sqlite3.Row
PlanWebhooks = Callable[[Row], Sequence[OutgoingWebhook]]


class SandboxStore:
    """Store in one folder. `announce` says which webhooks tell of a final state."""

    def __init__(
        self,
        folder: Path,
        *,
        delay: float,
        return_delay: float,
        floats: dict[str, Decimal],
        plan_webhooks: PlanWebhooks,
    ) -> None:
        path = _create_private_file(folder)
        self._delay = delay
        self._return_delay = return_delay
        self._plan_webhooks = plan_webhooks
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, check_same_thread=False, timeout=10)
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.executescript(_SCHEMA)
        with self._lock, self._db:
            for currency in COUNTRY_OF_CURRENCY:
                self._db.execute(
                    "INSERT OR IGNORE INTO floats VALUES (?, ?)",
                    (currency, str(floats.get(currency, OPENING_FLOAT))),
                )

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with self._lock:
            self._db.close()

    def accept(self, order: TransferOrder) -> Row:
        """Store a new transfer and debit amount and fee. Raises `RequestRejected`."""
        now = time.time()
        with self._lock, self._db:
            if self.by_reference(order.reference) is not None:
                raise RequestRejected(DUPLICATE_MESSAGE)
            self._move_float(order.debit_currency, -(order.amount + order.fee))
            cursor = self._db.execute(
                f"INSERT INTO transfers ({_COLUMNS})"  # noqa: S608 - a constant
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'NEW', ?, ?, ?, ?, ?, ?)",
                (
                    order.reference,
                    order.account_number,
                    order.bank.code,
                    order.bank.name,
                    order.full_name,
                    order.currency,
                    order.debit_currency,
                    str(order.amount),
                    str(order.fee),
                    order.narration,
                    order.meta,
                    order.callback_url,
                    order.outcome,
                    now,
                    now + self._delay / 2,
                ),
            )
            return self._one("SELECT * FROM transfers WHERE id = ?", cursor.lastrowid)

    def by_id(self, transfer_id: int) -> Row | None:
        """Return the transfer with this id."""
        return self._first("SELECT * FROM transfers WHERE id = ?", transfer_id)

    def by_reference(self, reference: str) -> Row | None:
        """Return the transfer with this reference."""
        return self._first("SELECT * FROM transfers WHERE reference = ?", reference)

    def page(
        self, filters: dict[str, str | float], *, page: int, size: int
    ) -> tuple[list[Row], int]:
        """Return one page of transfers, newest first, and the total number.

        `filters` may have `reference`, `status`, `from` and `to` (seconds).
        """
        conditions = {
            "reference": "reference = ?",
            "status": "status = ?",
            "from": "created_at >= ?",
            "to": "created_at < ?",
        }
        where = " AND ".join(["1", *(conditions[key] for key in filters)])
        values = tuple(filters.values())
        with self._lock:
            counted = self._one(f"SELECT count(*) AS n FROM transfers WHERE {where}", *values)  # noqa: S608 - constants
            rows = self._db.execute(
                f"SELECT * FROM transfers WHERE {where} ORDER BY id DESC LIMIT ? OFFSET ?",  # noqa: S608 - constants
                (*values, size, (page - 1) * size),
            ).fetchall()
        return rows, counted["n"]

    def count_retries(self, reference: str) -> int:
        """Return the number of retries of this reference."""
        prefix = reference + "_RETRY_"
        query = "SELECT count(*) AS n FROM transfers WHERE substr(reference, 1, ?) = ?"
        return int(self._one(query, len(prefix), prefix)["n"])

    def advance(self) -> float | None:
        """Advance every due transfer; return the seconds until the next is due, None if none is."""
        now = time.time()
        with self._lock:
            due = self._db.execute(
                "SELECT * FROM transfers WHERE next_at <= ? ORDER BY next_at, id LIMIT 500", (now,)
            ).fetchall()
            if due:
                with self._db:
                    for row in due:
                        self._step(row, now)
            soonest = self._one("SELECT min(next_at) AS at FROM transfers")["at"]
        return None if soonest is None else max(soonest - time.time(), 0.0)

    def settle(self, reference: str | None) -> int:
        """Settle one or all open transfers now, and return their number."""
        query = "SELECT * FROM transfers WHERE status IN ('NEW', 'PENDING')"
        with self._lock, self._db:
            rows = self._db.execute(query).fetchall()
            rows = [row for row in rows if reference in {None, row["reference"]}]
            for row in rows:
                if row["status"] == "NEW":
                    self._step(row, time.time())
                self._step(
                    self._one("SELECT * FROM transfers WHERE id = ?", row["id"]), time.time()
                )
        return len(rows)

    def return_money(self, reference: str) -> bool:
        """Return a successful transfer by the bank now; False when there is none."""
        with self._lock, self._db:
            row = self.by_reference(reference)
            if row is None or row["status"] != "SUCCESSFUL":
                return False
            self._return(row)
        return True

    def floats(self) -> dict[str, Decimal]:
        """Return our balance per currency."""
        with self._lock:
            rows = self._db.execute("SELECT * FROM floats ORDER BY currency").fetchall()
        return {row["currency"]: Decimal(row["amount"]) for row in rows}

    def set_float(self, currency: str, amount: Decimal) -> None:
        """Set our balance in a currency."""
        with self._lock, self._db:
            self._db.execute(
                "UPDATE floats SET amount = ? WHERE currency = ?", (str(amount), currency)
            )

    def due_webhook(self, busy: set[int]) -> DueWebhook | float | None:
        """Return the next due webhook, or the seconds until one is due, or None."""
        query = "SELECT * FROM webhooks WHERE state = 'waiting' ORDER BY next_at, id LIMIT ?"
        with self._lock:
            waiting = self._db.execute(query, (len(busy) + 1,)).fetchall()
        row = next((row for row in waiting if row["id"] not in busy), None)
        if row is None:
            return None
        wait = row["next_at"] - time.time()
        if wait > 0:
            return float(wait)
        return DueWebhook(
            row["id"], row["url"], row["body"].encode(), bool(row["forged"]), row["attempts"]
        )

    def record_webhook_attempt(self, webhook_id: int, *, state: str, next_at: float) -> None:
        """Record an attempt and the next one."""
        with self._lock, self._db:
            self._db.execute(
                "UPDATE webhooks SET attempts = attempts + 1, state = ?, next_at = ? WHERE id = ?",
                (state, next_at, webhook_id),
            )

    def webhooks(self) -> list[dict[str, Any]]:
        """Return all webhooks, for the control endpoint."""
        with self._lock:
            rows = self._db.execute("SELECT * FROM webhooks ORDER BY id").fetchall()
        return [dict(row) for row in rows]

    def _step(self, row: Row, now: float) -> None:
        if row["status"] == "NEW":
            self._set(row, "PENDING", "", now + self._delay / 2)
        elif row["status"] == "PENDING" and row["outcome"] == FAIL:
            self._set(row, "FAILED", FAILED_MESSAGE, None)
            self._move_float(row["debit_currency"], Decimal(row["amount"]) + Decimal(row["fee"]))
            self._queue_webhooks(row)
        elif row["status"] == "PENDING":
            returns_at = now + self._return_delay if row["outcome"] == RETURN else None
            self._set(row, "SUCCESSFUL", SUCCESS_MESSAGE, returns_at)
            self._queue_webhooks(row)
        elif row["status"] == "SUCCESSFUL":
            self._return(row)

    def _return(self, row: Row) -> None:
        # The amount is returned; the fee of an executed transfer is not.
        self._set(row, "FAILED", RETURNED_MESSAGE, None)
        self._db.execute("UPDATE transfers SET returned = 1 WHERE id = ?", (row["id"],))
        self._move_float(row["debit_currency"], Decimal(row["amount"]))
        self._queue_webhooks(row)

    def _set(self, row: Row, status: str, message: str, next_at: float | None) -> None:
        self._db.execute(
            "UPDATE transfers SET status = ?, complete_message = ?, next_at = ? WHERE id = ?",
            (status, message, next_at, row["id"]),
        )

    def _queue_webhooks(self, row: Row) -> None:
        current = self._one("SELECT * FROM transfers WHERE id = ?", row["id"])
        self._db.executemany(
            "INSERT INTO webhooks (transfer_id, url, body, forged, next_at) VALUES (?, ?, ?, ?, ?)",
            [
                (row["id"], webhook.url, webhook.body, webhook.forged, time.time())
                for webhook in self._plan_webhooks(current)
            ],
        )

    def _move_float(self, currency: str, change: Decimal) -> None:
        row = self._first("SELECT amount FROM floats WHERE currency = ?", currency)
        if row is None:
            raise RequestRejected(f"There is no {currency} wallet")
        amount = Decimal(row["amount"]) + change
        if amount < 0:
            raise RequestRejected(FLOAT_MESSAGE)
        self._db.execute("UPDATE floats SET amount = ? WHERE currency = ?", (str(amount), currency))

    def _first(self, query: str, *values: Any) -> Row | None:
        with self._lock:
            row: Row | None = self._db.execute(query, values).fetchone()
        return row

    def _one(self, query: str, *values: Any) -> Row:
        row = self._first(query, *values)
        if row is None:
            raise LookupError("a row of the store is missing")
        return row


def number(text: str) -> Decimal | int:
    """Return a stored decimal text as the wire writes numbers."""
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else value.normalize()


def rest_record(row: Row) -> dict[str, Any]:
    """Return a transfer as the REST calls render it."""
    moment = datetime.fromtimestamp(row["created_at"], UTC)
    return {
        "id": row["id"],
        "account_number": row["account_number"],
        "bank_code": row["bank_code"],
        "full_name": row["full_name"],
        "created_at": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
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


def _create_private_file(folder: Path) -> Path:
    """Create the database file for its owner only; SQLite makes `-wal` and `-shm` alike."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    path = folder / "sandbox.sqlite3"
    path.touch(mode=0o600)
    for file in folder.glob(f"{path.name}*"):  # also files of an earlier version
        file.chmod(0o600)
    return path
