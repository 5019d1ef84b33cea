"""Checks of what may become slow or full: connections, commits, vacuum, disks, clocks."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from config.doctor.findings import Diagnosis, ok, problem, warning
from config.doctor.session import connect, require_database, rows, value

# Connections of migrations, backups, monitoring and people, in addition to those of the service.
RESERVE = 10
_COMMITS = 20
_COMMIT_SECONDS = 2.0
_SLOW_COMMIT_MILLISECONDS = 20
_CLOCK_WARNING_SECONDS = 1.0
_CLOCK_PROBLEM_SECONDS = 10.0
_LONG_TRANSACTION_MINUTES = 10
_DEAD_ROWS = 50_000
_OLD_TRANSACTION_ID = 500_000_000
_GIB = 1024**3
_SYNCHRONISE = "Run chrony or systemd-timesyncd on both machines"


def check_connections_for(processes: int) -> Callable[[], Iterator[Diagnosis]]:
    """Return the check that `processes` with full pools find enough connections."""

    def check_connections() -> Iterator[Diagnosis]:
        require_database()
        [(limit, reserved, role_limit, database_limit, used)] = rows(
            "SELECT current_setting('max_connections')::int,"
            " current_setting('superuser_reserved_connections')::int,"
            " (SELECT rolconnlimit FROM pg_roles WHERE rolname = session_user),"
            " (SELECT datconnlimit FROM pg_database WHERE datname = current_database()),"
            " (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL)"
        )
        pool = settings.DATABASE_POOL_SIZE
        if getattr(settings, "DATABASE_POOLER", ""):
            yield ok("connections", f"{used} of {limit} in use; PgBouncer limits ours")
            return
        limits = [
            limit - reserved - RESERVE,
            *(each for each in (role_limit, database_limit) if each >= 0),
        ]
        needed, available = processes * pool, min(limits)
        seen = f"{processes} processes, {pool} each, need {needed} of {available}; {used} in use"
        if needed > available:
            yield problem(
                "connections",
                seen,
                "Lower DATABASE_POOL_SIZE, raise the limit, or add PgBouncer",
            )
        else:
            yield ok("connections", seen)

    return check_connections


def check_commits() -> Iterator[Diagnosis]:
    """Measure real commits, which wait for the disk and for synchronous standbys."""
    require_database()
    trips: list[float] = []
    commits: list[float] = []
    deadline = time.monotonic() + _COMMIT_SECONDS
    while len(commits) < _COMMITS and time.monotonic() < deadline:
        trips.append(_milliseconds("SELECT 1"))
        # Writes to the log only, and no row.
        commits.append(_milliseconds("SELECT pg_logical_emit_message(true, 'doctor', '')"))
    median, longest = statistics.median(commits), max(commits)
    seen = (
        f"{median:.1f} ms (median of {len(commits)}, longest {longest:.1f});"
        f" a round trip takes {statistics.median(trips):.1f} ms"
    )
    if median > _SLOW_COMMIT_MILLISECONDS:
        yield warning(
            "commits",
            seen,
            "Put the write-ahead log on faster disks; look at the distance of synchronous standbys",
        )
    else:
        yield ok("commits", seen)


def _milliseconds(sql: str) -> float:
    began = time.perf_counter()
    rows(sql)
    return (time.perf_counter() - began) * 1000


def check_vacuum() -> Iterator[Diagnosis]:
    """Report dead rows, transaction ids and whether autovacuum runs."""
    require_database()
    for name in ("autovacuum", "track_counts"):
        if value("SELECT current_setting(%s)", [name]) != "on":
            yield problem("vacuum", f"{name} is off: tables grow and get slow", f"Set {name} = on")
    bloated = rows(
        "SELECT relname, n_dead_tup, n_live_tup FROM pg_stat_user_tables"
        " WHERE n_dead_tup > greatest(%s, n_live_tup / 2) ORDER BY n_dead_tup DESC LIMIT 3",
        [_DEAD_ROWS],
    )
    for table, dead, live in bloated:
        yield warning(
            "vacuum",
            f"{table} has {dead:,} dead rows and {live:,} live ones",
            f"VACUUM ANALYZE {table}; look for a transaction that stays open",
        )
    age = value("SELECT max(age(datfrozenxid)) FROM pg_database")
    if age > _OLD_TRANSACTION_ID:
        yield problem(
            "vacuum",
            f"the oldest transaction id is {age:,} old",
            "Run VACUUM (FREEZE) in each database",
        )
    elif not bloated:
        yield ok("vacuum", f"no table is bloated; the oldest transaction id is {age:,} old")


def check_transactions() -> Iterator[Diagnosis]:
    """Report a transaction that stays open: it holds locks and dead rows."""
    require_database()
    # The login sees its own sessions, the runtime role does not.
    connection = connect()
    with connection.cursor() as cursor:
        cursor.execute("BEGIN; SET LOCAL ROLE NONE")
        cursor.execute(
            "SELECT pid, extract(epoch FROM now() - xact_start)::float8 / 60, state"
            " FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend' ORDER BY xact_start LIMIT 1"
        )
        found = cursor.fetchone()
        cursor.execute("COMMIT")
    if prepared := value("SELECT count(*) FROM pg_prepared_xacts"):
        yield problem(
            "transactions",
            f"{prepared} prepared and never finished",
            "ROLLBACK PREPARED those in pg_prepared_xacts",
        )
    if found and found[1] > _LONG_TRANSACTION_MINUTES:
        pid, minutes, state = found
        yield warning(
            "transactions",
            f"process {pid} has one open for {minutes:.0f} minutes ({state})",
            f"Find its purpose, then SELECT pg_terminate_backend({pid})",
        )
    else:
        yield ok("transactions", "none is open for long")


def check_database_clock() -> Iterator[Diagnosis]:
    """Compare this machine's clock with the database's."""
    require_database()
    before = datetime.now(UTC)
    there = value("SELECT clock_timestamp()")
    after = datetime.now(UTC)
    yield clock_finding(
        "clock and database", (there - before - (after - before) / 2).total_seconds()
    )


def clock_finding(check: str, seconds: float, precision: float = 0.0) -> Diagnosis:
    """Return the finding about a clock that is `seconds` ahead of this machine's."""
    seen = f"{abs(seconds):.1f} seconds {'ahead' if seconds >= 0 else 'behind'}"
    if abs(seconds) > _CLOCK_PROBLEM_SECONDS + precision:
        return problem(check, f"{seen}: leases and codes are wrong", _SYNCHRONISE)
    if abs(seconds) > _CLOCK_WARNING_SECONDS + precision:
        return warning(check, seen, _SYNCHRONISE)
    return ok(check, seen)


def check_temporary_directory() -> Iterator[Diagnosis]:
    """Report whether large responses and exports can be buffered."""
    try:
        # Looks for one, and writes to it.
        folder = Path(tempfile.gettempdir())
    except FileNotFoundError:
        yield problem(
            "temporary directory",
            "none can be written: neither TMPDIR nor /tmp",
            "Mount a writable directory at /tmp, or name one in TMPDIR",
        )
        return
    yield _space("temporary directory", folder)


def check_data_directory() -> Iterator[Diagnosis]:
    """Report the space for the files of a local installation."""
    folder = getattr(settings, "DATA_DIR", None)
    if folder is not None and Path(folder).is_dir():
        yield _space("data directory", Path(folder))


def _space(check: str, folder: Path) -> Diagnosis:
    usage = shutil.disk_usage(folder)
    free = usage.free / _GIB
    seen = f"{folder}: {free:.1f} GiB of {usage.total / _GIB:.1f} free"
    remedy = "Free or add space"
    if free < 0.2:
        return problem(check, seen, remedy)
    if free < 1:
        return warning(check, seen, remedy)
    return ok(check, seen)


DATABASE_CHECKS = (check_commits, check_vacuum, check_transactions)
MACHINE_CHECKS = (check_database_clock, check_temporary_directory, check_data_directory)
