"""The database connections of the checks: like the service's, with short time-outs and no pool."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config.doctor.findings import NotChecked
from config.local.preflight import one_line
from exchange.core import replica
from exchange.core.database import Row, fetch_all

ALIAS, REPLICA = "doctor", "doctor_replica"
_CONNECT_SECONDS = 3
_STATEMENT_SECONDS = 4
# A server that does not respond is waited for once, not by each check.
_locks = {alias: threading.Lock() for alias in (ALIAS, REPLICA)}
_failures: dict[str, DatabaseError] = {}


def register() -> None:
    """Add the aliases; each thread then has connections of its own."""
    for alias, examined in ((ALIAS, "default"), (REPLICA, replica.ALIAS)):
        if examined in connections.settings:
            connections.settings[alias] = _with_short_timeouts(connections.settings[examined])


def _with_short_timeouts(database: dict[str, Any]) -> dict[str, Any]:
    options = {
        name: value for name, value in database.get("OPTIONS", {}).items() if name != "pool"
    } | {
        "connect_timeout": _CONNECT_SECONDS,
        # Also works through a pooler that DATABASE_POOLER does not name.
        "prepare_threshold": None,
    }
    if "options" in options:
        # PgBouncer takes no start-up options.
        options["options"] += f" -c statement_timeout={_STATEMENT_SECONDS}s"
    return {**database, "OPTIONS": options}


def connect(alias: str = ALIAS) -> BaseDatabaseWrapper:
    """Return this thread's connection. Raises `DatabaseError`, at once after a first failure."""
    connection = connections[alias]
    with _locks[alias]:
        if alias in _failures:
            raise _failures[alias]
        try:
            connection.ensure_connection()
        except DatabaseError as error:
            _failures[alias] = error
            raise
    return connection


def require_database(alias: str = ALIAS) -> None:
    """Raise `NotChecked` if the database cannot be reached."""
    try:
        connect(alias)
    except DatabaseError:
        name = "replica" if alias == REPLICA else "database"
        raise NotChecked(f"the {name} cannot be reached") from None


def rows(sql: str, parameters: Sequence[Any] = (), alias: str = ALIAS) -> list[Row]:
    """Return the rows of `sql`. Raises `DatabaseError`."""
    return fetch_all(sql, parameters, using=alias)


def value(sql: str, parameters: Sequence[Any] = (), alias: str = ALIAS) -> Any:
    """Return the only value of `sql`."""
    return rows(sql, parameters, alias)[0][0]


def connection_failure(error: DatabaseError) -> str:
    """Return the reason of a failed connection on one line."""
    return one_line(error)[:300]


def is_production() -> bool:
    """Return whether the settings are those of production."""
    return settings.SETTINGS_MODULE == "config.settings.production"
