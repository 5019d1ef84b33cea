"""Reads from a replica of the database, where they are as good as the primary's.

`read` runs a list in one transaction on the replica, provided that this has replayed what the
reader must see: everything that the reader has written, and everything older than the allowed lag.
Both are positions in the write-ahead log, so no clocks are compared. Otherwise, and when the
replica fails, the list runs on the primary. Inside, Django's queries (`ReplicaRouter`),
`read_cursor` and retryable statements of `exchange.core.database` use the replica.

`record_write` stores the position of a writer's last write in an unlogged table of the primary.
It is empty after a crash or a failover: then all readers must see what was written until then.

After a failure this process leaves the replica alone and probes it in the background. Decision 34.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import structlog
from django.conf import settings
from django.db import (
    DEFAULT_DB_ALIAS,
    DatabaseError,
    Error,
    InterfaceError,
    OperationalError,
    connections,
    transaction,
)
from django.db.models import Model

from exchange.core.batching import Batcher
from exchange.core.database import fetch_one, read_alias, reading_from, sqlstate
from exchange.core.errors import NotFound

logger = structlog.get_logger(__name__)

Result = TypeVar("Result")

ALIAS = "replica"
# The writer whose writes every reader must see.
EVERYONE = UUID(int=0)

_APPS = frozenset({"credit", "exchange", "orders", "wallets"})
# Seconds between probes of a replica that failed, and the longest waits for its responses.
_PAUSE_SECONDS = 5.0
_CHECK_SECONDS = 1.0
_READ_SECONDS = 30.0
# The longest wait of an export for a snapshot with the latest records.
_SNAPSHOT_SECONDS = 1.0
# Cancelled for a conflict with replay, or by an operator.
_CANCELLED = {"40001", "57014"}

_CHECK = """
SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint END
"""
_RECORD = "SELECT record_write(writer) FROM unnest(%s::uuid[]) AS writer"
_CLUSTER = "SELECT system_identifier FROM pg_control_system()"


class ReplicaRouter:
    """Routes Django's queries inside `read` to the replica."""

    def db_for_read(self, model: type[Model], **_hints: Any) -> str | None:
        """Return the replica inside `read`, except for people, keys, sessions and permissions."""
        meta = model._meta
        if read_alias() != ALIAS or meta.app_label not in _APPS:
            return None
        people_and_keys = {settings.AUTH_USER_MODEL, settings.OAUTH2_PROVIDER_APPLICATION_MODEL}
        return DEFAULT_DB_ALIAS if meta.label in people_and_keys else ALIAS

    def db_for_write(
        self, _model: type[Model], instance: Model | None = None, **_hints: Any
    ) -> str | None:
        """Return the primary for records that were read from the replica."""
        return DEFAULT_DB_ALIAS if instance and instance._state.db == ALIAS else None

    def allow_relation(self, one: Model, other: Model, **_hints: Any) -> bool | None:
        """Allow relations of records from the replica with those of the primary."""
        return True if ALIAS in {one._state.db, other._state.db} else None

    def allow_migrate(self, db: str, _app_label: str, **_hints: Any) -> bool | None:
        """Forbid migrations of the replica."""
        return False if db == ALIAS else None


@dataclass(frozen=True, slots=True)
class Position:
    """What a reader must see, and what the primary has written: positions in bytes.

    `required` is None while the primary does not know.
    """

    required: int | None
    reached: int


class _Behind(Exception):
    """The replica has not replayed what the reader must see."""


class _NotUsable(Exception):
    """The replica serves no reader now; the message is for the log."""


class _State:
    """What this process knows about the replica."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._retry_at: float | None = None
        self._samples: deque[tuple[float, int]] = deque()
        # Whether it belongs to the primary, as far as it was compared.
        self.verified = False

    def may_read(self) -> bool:
        """Return whether the circuit is closed; start a probe when one is due."""
        if self._retry_at is None:
            return True
        with self._lock:
            due = self._retry_at is not None and time.monotonic() >= self._retry_at
            if due:
                self._retry_at = time.monotonic() + _PAUSE_SECONDS
        if due:
            threading.Thread(target=_probe, name="replica-probe", daemon=True).start()
        return False

    def record_success(self) -> None:
        """Close the circuit."""
        self._retry_at = None
        logger.warning("replica.available")

    def record_failure(self, error: object) -> None:
        """Open the circuit for a while, and discard the connections."""
        with self._lock:
            is_new = self._retry_at is None
            self._retry_at = time.monotonic() + _PAUSE_SECONDS
            self.verified = False
        if is_new:
            logger.error("replica.unavailable", error=str(error).strip())
            pool = getattr(connections[ALIAS], "pool", None)
            if pool is not None and not pool.closed:
                pool.drain()

    def oldest_allowed(self, reached: int) -> tuple[int, bool]:
        """Return a position of the primary within the allowed lag, and whether it is about as old.

        Takes `reached`, its position now, as a sample. Without earlier ones it is the result.
        """
        now, lag = time.monotonic(), settings.REPLICA_MAX_LAG_SECONDS
        with self._lock:
            if not self._samples or now - self._samples[-1][0] >= lag / 20:
                self._samples.append((now, reached))
            while now - self._samples[0][0] > lag:
                self._samples.popleft()
            taken_at, position = self._samples[0]
        return position, now - taken_at > lag / 2


_state = _State()


def is_configured() -> bool:
    """Return whether there is a replica to read from."""
    return ALIAS in connections.settings


def fetch_position(reader: UUID) -> Position | None:
    """Return what `reader`, an organisation or a staff user, must see; None without a replica."""
    if not is_configured():
        return None
    row = fetch_one("SELECT read_position(%s)", [reader], retryable=True, using=DEFAULT_DB_ALIAS)
    return to_position(row[0] if row else None)


def to_position(found: Sequence[int] | None) -> Position | None:
    """Convert the result of the SQL function `read_position`; None from a demoted primary."""
    return None if found is None else Position(*found)


def record_write(writer: UUID) -> None:
    """Store that `writer`, an organisation or a staff user, has written until now.

    Call it after the commit. A failure is only logged, since the write itself is committed.
    """
    if not is_configured():
        return
    try:
        _writes.submit(writer)
    except Error as error:
        logger.warning("replica.write_not_recorded", writer=str(writer), error=str(error).strip())


def _record_writes(writers: list[UUID]) -> list[None]:
    # In one order, so that no two processes wait for each other.
    fetch_one(_RECORD, [sorted(set(writers))], retryable=True, using=DEFAULT_DB_ALIAS)
    return [None] * len(writers)


# Requests that end together, as those of one batch do, store their positions together.
_writes: Batcher[UUID, None] = Batcher(_record_writes)


def show_to_everyone() -> None:
    """Make every reader see the open transaction as soon as it is committed."""
    transaction.on_commit(lambda: record_write(EVERYONE), robust=True)


def read(run: Callable[[], Result], position: Position | None) -> Result:
    """Return the result of `run`, which only reads, from the replica if it is good enough.

    `position` is what the reader must see. Errors of the replica are not raised: `run` is repeated
    on the primary.
    """
    if position is None or not _may_read():
        return run()
    if position.required is None:
        # The first to find the table empty.
        record_write(EVERYONE)
        return run()
    allowed, is_old = _state.oldest_allowed(position.reached)
    try:
        with _transaction() as replayed:
            if replayed < allowed and is_old:
                lag = settings.REPLICA_MAX_LAG_SECONDS
                raise _NotUsable(f"It is more than {lag} s behind")  # noqa: TRY301 - ends the block
            if replayed < max(allowed, position.required):
                raise _Behind  # noqa: TRY301
            return run()
    except (_Behind, NotFound):
        # The replica may lack a new record: the primary decides.
        pass
    except (Error, _NotUsable) as error:
        _handle(error)
    return run()


def read_snapshot(run: Callable[[], Result], is_recent: Callable[[], bool]) -> Result | None:
    """Return the result of `run` from one snapshot of the replica for which `is_recent` holds.

    Waits a second for such a snapshot. Returns None without one, and when the replica fails.
    """
    deadline = time.monotonic() + _SNAPSHOT_SECONDS
    while is_configured() and _may_read():
        try:
            with _transaction("REPEATABLE READ", read_seconds=None):
                if is_recent():
                    return run()
        except (Error, _NotUsable) as error:
            _handle(error)
            break
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    return None


def is_serving() -> bool:
    """Return whether the replica serves a reader who has written nothing lately."""
    position = fetch_position(EVERYONE)
    deadline = time.monotonic() + _SNAPSHOT_SECONDS
    while not (found := read(lambda: read_alias() == ALIAS, position)) and _may_read():
        # It replays what was written last within milliseconds.
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
        position = position and Position(position.required or position.reached, position.reached)
    return found


def _may_read() -> bool:
    # Reads of a transaction that may write belong to the primary.
    return not connections[DEFAULT_DB_ALIAS].in_atomic_block and _state.may_read()


@contextlib.contextmanager
def _transaction(
    isolation: str = "READ COMMITTED", read_seconds: float | None = _READ_SECONDS
) -> Iterator[int]:
    """Read from the replica inside the block; yield the position that it has replayed.

    A pooler may give every transaction another server, so the check is part of it.
    """
    connection = connections[ALIAS]
    connection.ensure_connection()
    raw: Any = connection.connection
    raw.response_seconds = _CHECK_SECONDS
    with transaction.atomic(using=ALIAS):
        if isolation != "READ COMMITTED":
            with connection.cursor() as cursor:
                cursor.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
        row = fetch_one(_CHECK, using=ALIAS)
        if row is None or row[0] is None:
            raise _NotUsable("DATABASE_REPLICA_URL is the address of a primary")
        if not _state.verified:
            _verify_cluster()
        raw.response_seconds = read_seconds
        with reading_from(ALIAS):
            yield row[0]


def _verify_cluster() -> None:
    """Raise `_NotUsable` unless the replica is one of the primary's."""
    clusters = {fetch_one(_CLUSTER, using=alias) for alias in (ALIAS, DEFAULT_DB_ALIAS)}
    if len(clusters) > 1:
        raise _NotUsable("DATABASE_REPLICA_URL is no replica of DATABASE_URL")
    _state.verified = True


def _handle(error: Exception) -> None:
    """Open the circuit unless `error` concerns one statement only; log it."""
    state = sqlstate(error) if isinstance(error, DatabaseError) else None
    if state in _CANCELLED:
        logger.info("replica.read_cancelled", error=str(error).strip())
    elif isinstance(error, OperationalError | InterfaceError | _NotUsable):
        _state.record_failure(error)
    else:
        logger.warning("replica.read_failed", error=str(error).strip())


def _probe() -> None:
    """Close the circuit if the replica serves again. Runs in a thread of its own."""
    try:
        position = fetch_position(EVERYONE)
        if position is None or position.required is None:
            return
        allowed, _ = _state.oldest_allowed(position.reached)
        with _transaction() as replayed:
            usable = replayed >= max(allowed, position.required)
        if usable:
            _state.record_success()
    except (Error, _NotUsable) as error:
        _state.record_failure(error)
    finally:
        connections.close_all()
