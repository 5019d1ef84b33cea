"""Add the partitions of coming months, and remove those of months that are past their retention."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.utils import CursorWrapper

from exchange.core.database import fetch_all, fetch_one
from exchange.core.table_locks import LOCK_TIMEOUT, WAIT_SECONDS, in_turns
from exchange.partitions.selectors import Partition, get_partitions

IDEMPOTENCY = "exchange_idempotencyrecord"
_REQUESTS = "exchange_loggedrequest"
REQUEST_LOG_DAYS = 30
_EVENTS, _NUMBERS, _DELIVERIES = (
    "exchange_event",
    "exchange_eventnumber",
    "exchange_eventdelivery",
)
# As `claim_idempotency_key` searches.
_KEY_MARGIN = timedelta(hours=1)


def add_partitions(*, using: str = DEFAULT_DB_ALIAS) -> int:
    """Add the partitions of this month and the next three; return the number added.

    Raises `OperationalError` when a table is in use for longer than half a second; those before it
    have their partitions.
    """
    added = 0
    for table in partitioned_tables():
        row = fetch_one("SELECT add_partitions(%s::text)", [table], using=using)
        added += row[0] if row else 0
    if added:
        # After the locks are released.
        fetch_one("SELECT analyze_partitioned()", using=using)
    return added


@dataclass(frozen=True, slots=True)
class Detachment:
    """A partition past its retention, and the reason to keep it, if any."""

    partition: Partition
    rows: int
    size: str
    blocker: str = ""


def retained_since(table: str) -> date | None:
    """Return the first month that `table` keeps; None if it keeps everything."""
    now = datetime.now(UTC)
    if table == IDEMPOTENCY:
        hours = timedelta(hours=settings.IDEMPOTENCY_RETENTION_HOURS)
        return (now - hours - _KEY_MARGIN).date().replace(day=1)
    if table == _REQUESTS:
        return (now - timedelta(days=REQUEST_LOG_DAYS)).date().replace(day=1)
    months = settings.RETENTION_MONTHS[table]
    if months is None:
        return None
    month = now.year * 12 + now.month - 1 - months
    return date(month // 12, month % 12 + 1, 1)


def partitioned_tables() -> list[str]:
    """Return the tables with a retention."""
    return [*settings.RETENTION_MONTHS, _REQUESTS, IDEMPOTENCY]


def detach_expired(
    table: str, *, using: str, dry_run: bool = False, wait_seconds: float = WAIT_SECONDS
) -> list[Detachment]:
    """Detach the partitions of `table` that are past their retention, oldest first.

    Stops at the first one that must be kept, so that no month is missing between others. With
    `dry_run` nothing changes. Raises TablesInUse after `wait_seconds`.
    """
    since = retained_since(table)
    done: list[Detachment] = []
    if since is None:
        return done
    for partition in get_partitions(table, using=using):
        if partition.ends is None or partition.ends > since:
            break
        done.append(
            in_turns(
                partial(_detach, partition, using, dry_run=dry_run),
                effect=f"{partition.name} is not detached",
                wait_seconds=wait_seconds,
            )
        )
        if done[-1].blocker:
            break
    return done


def detached_tables(*, using: str) -> list[str]:
    """Return the names of detached partitions."""
    return [name for (name,) in fetch_all(_DETACHED, using=using)]


def drop_detached(name: str, *, using: str) -> None:
    """Drop a detached partition with its rows. Raises TablesInUse."""

    def drop() -> None:
        with transaction.atomic(using=using), connections[using].cursor() as cursor:
            _take_turn(cursor)
            # PostgreSQL would drop an attached partition, too.
            cursor.execute(f"{_DETACHED} AND relname = %s", [name])
            if cursor.fetchone():
                cursor.execute(f"DROP TABLE {_quoted(name)}")

    in_turns(drop, effect=f"{name} is not dropped")


def _detach(partition: Partition, using: str, *, dry_run: bool) -> Detachment:
    name = _quoted(partition.name)
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        if not dry_run:
            _take_turn(cursor)
            # A request that resends an event waits: it is pending before the check, or not found.
            cursor.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
        cursor.execute(_DESCRIBE, [name, name])
        rows, size = cursor.fetchone()
        found = Detachment(partition, rows, size, _find_blocker(cursor, partition))
        # Another removal may have been first.
        if not dry_run and not found.blocker and _is_attached(cursor, name):
            cursor.execute(f"ALTER TABLE {partition.table} DETACH PARTITION {name}")
        return found


def _find_blocker(cursor: CursorWrapper, partition: Partition) -> str:
    if partition.table not in {_EVENTS, _NUMBERS, _DELIVERIES}:
        return ""
    # The numbers and deliveries of a month stay as long as its events.
    month = partition.name.removeprefix(partition.table)
    events, deliveries = _quoted(_EVENTS + month), _quoted(_DELIVERIES + month)
    cursor.execute(
        "SELECT to_regclass(%s) IS NULL OR to_regclass(%s) IS NULL", [events, deliveries]
    )
    if cursor.fetchone() == (True,):
        return ""
    cursor.execute(_COUNT_PENDING.format(events, deliveries))
    (pending,) = cursor.fetchone()
    return f"{pending:,} of its events are still to be delivered" if pending else ""


def _is_attached(cursor: CursorWrapper, name: str) -> bool:
    cursor.execute("SELECT relispartition FROM pg_class WHERE oid = %s::regclass", [name])
    attached: bool = cursor.fetchone()[0]
    return attached


def _take_turn(cursor: CursorWrapper) -> None:
    """Wait for another removal, or for `add_partitions`, to end."""
    cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
    cursor.execute("SELECT pg_advisory_xact_lock(x'5041525453'::bigint)")


def _quoted(name: str) -> str:
    return f'partitions."{name}"'


_COUNT_PENDING = """
SELECT count(*) FROM (SELECT id FROM {} WHERE status = 'Pending'
                      UNION SELECT event_id FROM {} WHERE status = 'Pending') pending
"""
_DETACHED = """
SELECT relname FROM pg_class
WHERE relnamespace = 'partitions'::regnamespace AND relkind = 'r' AND NOT relispartition
"""
_DESCRIBE = """
SELECT greatest(reltuples, 0)::bigint, pg_size_pretty(pg_total_relation_size(%s::regclass))
FROM pg_class WHERE oid = %s::regclass
"""
