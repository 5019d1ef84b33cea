"""The database connection of the checks: like the service's, with short time-outs and no pool."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config.doctor.findings import NotChecked
from config.local.preflight import one_line
from exchange.core.database import Row, fetch_all

ALIAS = "doctor"
_CONNECT_SECONDS = 3
_STATEMENT_SECONDS = 4
# A server that does not respond is waited for once, not by each check.
_lock = threading.Lock()
_failures: list[DatabaseError] = []


def register() -> None:
    """Add the alias; each thread then has a connection of its own."""
    default = connections.settings["default"]
    options = {
        name: value for name, value in default.get("OPTIONS", {}).items() if name != "pool"
    } | {
        "connect_timeout": _CONNECT_SECONDS,
        # Also works through a pooler that DATABASE_POOLER does not name.
        "prepare_threshold": None,
    }
    if "options" in options:
        # PgBouncer takes no start-up options.
        options["options"] += f" -c statement_timeout={_STATEMENT_SECONDS}s"
    connections.settings[ALIAS] = {**default, "OPTIONS": options}


def connect() -> BaseDatabaseWrapper:
    """Return this thread's connection. Raises `DatabaseError`, at once after a first failure."""
    connection = connections[ALIAS]
    with _lock:
        if _failures:
            raise _failures[0]
        try:
            connection.ensure_connection()
        except DatabaseError as error:
            _failures.append(error)
            raise
    return connection


def require_database() -> None:
    """Raise `NotChecked` if the database cannot be reached."""
    try:
        connect()
    except DatabaseError:
        raise NotChecked("the database cannot be reached") from None


def rows(sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
    """Return the rows of `sql`. Raises `DatabaseError`."""
    return fetch_all(sql, parameters, using=ALIAS)


def value(sql: str, parameters: Sequence[Any] = ()) -> Any:
    """Return the only value of `sql`."""
    return rows(sql, parameters)[0][0]


def connection_failure(error: DatabaseError) -> str:
    """Return the reason of a failed connection on one line."""
    return one_line(error)[:300]


def is_production() -> bool:
    """Return whether the settings are those of production."""
    return settings.SETTINGS_MODULE == "config.settings.production"
