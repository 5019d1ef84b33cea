"""The sandbox's SQLite file: connection, our balances, and undelivered webhooks.

One connection, one lock. `store` has transfers, `collection_store` money in.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from config.local.sandbox.options import SandboxOptions
from config.local.sandbox.rules import (
    COLLECTION_CURRENCIES,
    COUNTRY_OF_CURRENCY,
    RequestRejected,
)

OPENING_FLOAT = Decimal(10) ** 12
FLOAT_MESSAGE = "Insufficient funds in customer wallet"

_MAX_ROWS = 10_000
_TIMES = {"from": "created_at >= ?", "to": "created_at < ?"}
_SCHEMA = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")

Row = sqlite3.Row


@dataclass(frozen=True, slots=True)
class OutgoingWebhook:
    """A webhook to store: URL, exact body, whether its hash is to be wrong, seconds to wait."""

    url: str
    body: str
    forged: bool = False
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class DueWebhook:
    """A webhook that is due; `attempts` counts the earlier ones."""

    id: int
    url: str
    body: bytes
    forged: bool
    attempts: int


PlanWebhooks = Callable[[Row], Sequence[OutgoingWebhook]]


class SandboxDatabase:
    """The database in one folder. A balance of a new one is `floats`, else `OPENING_FLOAT`.

    `changed` is set after every transaction but those that end what is due, or deliver.
    """

    def __init__(self, options: SandboxOptions) -> None:
        path = _create_private_file(options.data)
        self.changed = threading.Event()
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, check_same_thread=False, timeout=10)
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.executescript(_SCHEMA)
        with self.transaction():
            columns = self._db.execute("PRAGMA table_info(webhooks)").fetchall()
            if "transfer_id" in {column["name"] for column in columns}:
                # As an earlier version created it.
                self._db.execute("ALTER TABLE webhooks DROP COLUMN transfer_id")
            for currency in COLLECTION_CURRENCIES:
                opening = OPENING_FLOAT if currency in COUNTRY_OF_CURRENCY else Decimal(0)
                self._db.execute(
                    "INSERT OR IGNORE INTO floats VALUES (?, ?)",
                    (currency, str(options.floats.get(currency, opening))),
                )

    def close(self) -> None:
        """Close the file; the database cannot be used afterwards."""
        with self._lock:
            self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Lock the database and commit at the end, or roll back after an error."""
        with self._lock, self._db:
            yield
        self.changed.set()

    def run(self, query: str, *values: Any) -> int:
        """Run a statement, within `transaction`, and return the id of an inserted row."""
        return self._db.execute(query, values).lastrowid or 0

    def all(self, query: str, *values: Any) -> list[Row]:
        """Return the rows of a query."""
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def first(self, query: str, *values: Any) -> Row | None:
        """Return the first row of a query, or None."""
        with self._lock:
            row: Row | None = self._db.execute(query, values).fetchone()
        return row

    def find(self, table: str, row_id: int) -> Row | None:
        """Return the row of a table with this id, or None."""
        return self.first(f"SELECT * FROM {table} WHERE id = ?", row_id)  # noqa: S608 - a constant

    def get(self, table: str, row_id: int) -> Row:
        """Return the row of a table with this id, which must exist."""
        row = self.find(table, row_id)
        if row is None:
            raise LookupError("a row of the store is missing")
        return row

    def insert(self, table: str, **values: Any) -> Row:
        """Store a row, within `transaction`, and return it. Amounts become texts."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        query = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - constants
        return self.get(table, self.run(query, *map(_stored, values.values())))

    def update(self, table: str, row_id: int, **values: Any) -> Row:
        """Change a row, within `transaction`, and return it. Amounts become texts."""
        changes = ", ".join(f"{name} = ?" for name in values)
        query = f"UPDATE {table} SET {changes} WHERE id = ?"  # noqa: S608 - constants
        self.run(query, *map(_stored, values.values()), row_id)
        return self.get(table, row_id)

    def page(
        self, table: str, filters: Mapping[str, str | float], *, page: int, size: int
    ) -> tuple[list[Row], int]:
        """Return one page of a table, newest first, and the number of all rows.

        `filters` are values of columns, `from` and `to` (seconds). Table and columns are constants
        of the caller.
        """
        where = " AND ".join(["1", *(_TIMES.get(key, f"{key} = ?") for key in filters)])
        values = tuple(filters.values())
        with self._lock:
            [(total,)] = self.all(f"SELECT count(*) FROM {table} WHERE {where}", *values)  # noqa: S608 - constants
            rows = self.all(
                f"SELECT * FROM {table} WHERE {where} ORDER BY id DESC LIMIT ? OFFSET ?",  # noqa: S608 - constants
                *values,
                size,
                (page - 1) * size,
            )
        return rows, total

    def latest_of(self, table: str) -> list[Row]:
        """Return the latest rows of a table, newest first, for the control endpoints."""
        return self.page(table, {}, page=1, size=_MAX_ROWS)[0]

    def end_due(self, table: str, end: Callable[[Row], object]) -> float | None:
        """End the due rows of a table; return the seconds until the next is due, None: none is."""
        due = f"SELECT * FROM {table} WHERE next_at <= ? ORDER BY next_at, id LIMIT 500"  # noqa: S608 - a constant
        with self._lock, self._db:
            for row in self.all(due, time.time()):
                end(row)
            [(soonest,)] = self.all(f"SELECT min(next_at) FROM {table}")  # noqa: S608 - a constant
        return None if soonest is None else max(soonest - time.time(), 0.0)

    def floats(self) -> dict[str, Decimal]:
        """Return our balance per currency."""
        rows = self.all("SELECT * FROM floats ORDER BY currency")
        return {row["currency"]: Decimal(row["amount"]) for row in rows}

    def set_float(self, currency: str, amount: Decimal) -> None:
        """Set our balance in a currency."""
        with self.transaction():
            self._db.execute(
                "UPDATE floats SET amount = ? WHERE currency = ?", (str(amount), currency)
            )

    def due_webhook(self, busy: set[int]) -> DueWebhook | float | None:
        """Return the next due webhook, or the seconds until one is due, or None."""
        query = "SELECT * FROM webhooks WHERE state = 'waiting' ORDER BY next_at, id LIMIT ?"
        waiting = self.all(query, len(busy) + 1)
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
        return [dict(row) for row in self.all("SELECT * FROM webhooks ORDER BY id")]

    def queue_webhooks(self, webhooks: Sequence[OutgoingWebhook]) -> None:
        """Store webhooks, within `transaction`."""
        self._db.executemany(
            "INSERT INTO webhooks (url, body, forged, next_at) VALUES (?, ?, ?, ?)",
            [(each.url, each.body, each.forged, time.time() + each.delay) for each in webhooks],
        )

    def move_float(self, currency: str, change: Decimal) -> None:
        """Change our balance, within `transaction`. Raises `RequestRejected` below zero."""
        row = self.first("SELECT amount FROM floats WHERE currency = ?", currency)
        if row is None:
            raise RequestRejected(f"There is no {currency} wallet")
        amount = Decimal(row["amount"]) + change
        if amount < 0:
            raise RequestRejected(FLOAT_MESSAGE)
        self._db.execute("UPDATE floats SET amount = ? WHERE currency = ?", (str(amount), currency))


def _stored(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value


def number(text: str) -> Decimal | int:
    """Return a stored decimal text as the wire writes numbers."""
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else value.normalize()


def moment_text(seconds: float) -> str:
    """Return a stored time as the wire writes times."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _create_private_file(folder: Path) -> Path:
    """Create the database file for its owner only; SQLite makes `-wal` and `-shm` alike."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    path = folder / "sandbox.sqlite3"
    path.touch(mode=0o600)
    for file in folder.glob(f"{path.name}*"):  # also files of an earlier version
        file.chmod(0o600)
    return path
