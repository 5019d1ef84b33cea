"""Checks of the replica: those of its connection, whose replica it is, and how far behind."""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError

from config.doctor.database import examine_role, examine_session
from config.doctor.findings import Diagnosis, ok, problem, warning
from config.doctor.session import (
    REPLICA,
    connect,
    connection_failure,
    require_database,
    rows,
    value,
)
from exchange.core import replica

_REPLAY_SECONDS = 3.0
_IDENTITY = """
SELECT (SELECT system_identifier FROM pg_control_system()), current_database()::text
"""
_STATE = """
SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn,
    extract(epoch FROM pg_last_xact_replay_timestamp())::float8,
    pg_is_wal_replay_paused(), EXISTS (SELECT FROM pg_stat_wal_receiver)
"""
_POINT = "Point DATABASE_REPLICA_URL at a streaming replica of the database of DATABASE_URL"


def check_connection() -> Iterator[Diagnosis]:
    """Connect, and report pooler and encryption of the connection."""
    if not replica.is_configured():
        return
    try:
        connect(REPLICA)
    except DatabaseError as error:
        yield problem(
            "connection",
            f"{connection_failure(error)}; the primary serves all lists",
            "Start the replica, or correct DATABASE_REPLICA_URL",
        )
        return
    yield from examine_session(REPLICA, "DATABASE_REPLICA_URL")


def check_replica_role() -> Iterator[Diagnosis]:
    """Report whether lists are read as the runtime role."""
    if replica.is_configured():
        require_database(REPLICA)
        yield from examine_role(REPLICA)


def check_replication() -> Iterator[Diagnosis]:
    """Report whether it replicates the database of DATABASE_URL, and its lag."""
    if not replica.is_configured():
        return
    require_database(REPLICA)
    if not value("SELECT pg_is_in_recovery()", alias=REPLICA):
        yield problem("replication", "a primary, so no list is read from it", _POINT)
        return
    require_database()
    if rows(_IDENTITY) != rows(_IDENTITY, alias=REPLICA):
        yield problem("replication", "a replica of another database", _POINT)
        return
    yield ok("replication", "a replica of the database of DATABASE_URL")
    yield _lag()
    if value("SELECT current_setting('hot_standby_feedback')", alias=REPLICA) != "on":
        yield warning(
            "feedback",
            "hot_standby_feedback is off: replay cancels long exports",
            "Set hot_standby_feedback = on on the replica",
        )


def _lag() -> Diagnosis:
    """Write a message on the primary, and wait for a moment until the replica has replayed it."""
    allowed = settings.REPLICA_MAX_LAG_SECONDS
    position = value("SELECT pg_logical_emit_message(true, 'doctor', '')::text")
    began = time.monotonic()
    while True:
        [(replayed, last, paused, receives)] = rows(_STATE, [position], REPLICA)
        waited = time.monotonic() - began
        if replayed:
            return ok("lag", f"it replays within {waited:.1f} seconds; {allowed} are allowed")
        if waited > min(allowed, _REPLAY_SECONDS):
            break
        time.sleep(0.05)
    # Both are times of the primary's clock.
    now = value("SELECT extract(epoch FROM clock_timestamp())::float8")
    behind = now - last if last else waited
    seen = f"its last transaction is {behind:.0f} seconds old; {allowed} are allowed"
    if paused:
        seen, remedy = f"replay is paused, {seen}", "Run SELECT pg_wal_replay_resume() on it"
    elif not receives:
        seen, remedy = f"it receives no changes, {seen}", "See its log for the reason"
    else:
        remedy = "Look at its disks and network, at long reads and at recovery_min_apply_delay"
    return (problem if behind > allowed else warning)("lag", seen, remedy)


CHECKS = (check_connection, check_replica_role, check_replication)
