"""Readiness of a web process: whether a proxy should send it requests.

A process is unavailable when it cannot serve a request, and degraded when it serves requests with a
restriction that docs/operations/watch.md describes.
"""

import contextlib
import os
import socket
from collections.abc import Callable
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.startup import DRAINING_VARIABLE
from exchange.core import replica, sqlfiles
from exchange.core.database import fetch_one

OK = "ok"
DEGRADED = "degraded"
UNAVAILABLE = "unavailable"

_TIMEOUT_SECONDS = 1.0
_BROKER_PORTS = {"amqp": 5672, "amqps": 5671, "redis": 6379, "rediss": 6379}


def readiness() -> dict[str, str]:
    """Return the result of each check, by name: `ok`, `degraded` or `unavailable`.

    A process that drains still serves, but will stop: proxies should choose another.
    """
    if (note := os.environ.get(DRAINING_VARIABLE)) and Path(note).exists():
        return {"process": UNAVAILABLE}
    return {**_database_results(), "broker": _broker(), "cache": _cache()}


def status_of(results: dict[str, str]) -> str:
    """Return the worst of the results."""
    return next((each for each in (UNAVAILABLE, DEGRADED) if each in results.values()), OK)


def _database_results() -> dict[str, str]:
    try:
        # A demoted primary still answers queries, but takes no writes.
        if fetch_one("SELECT pg_is_in_recovery()", retryable=True) != (False,):
            return {"database": UNAVAILABLE}
        results = {"database": OK, "role": _role(), "migrations": _migrations(), "sql": _sql()}
        return {**results, **_replica()} if replica.is_configured() else results
    except DatabaseError:
        return {"database": UNAVAILABLE}


def _role() -> str:
    row = fetch_one("SELECT current_user")
    return OK if row == (settings.DATABASE_RUNTIME_ROLE,) else UNAVAILABLE


def _migrations() -> str:
    applied = set(MigrationRecorder(connection).applied_migrations())
    return OK if _own_migrations() <= applied else UNAVAILABLE


@cache
def _own_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations or ())


class _AcceptedSql:
    """The state of the installed SQL that this process was started with."""

    state: str | None = None


def _sql() -> str:
    """Compare the installed SQL with this version's.

    SQL that changes while the process runs is the next version's, which serves this one too until
    the process is replaced. SQL that was never this version's does not.
    """
    installed = sqlfiles.installed_state()
    if _AcceptedSql.state is None and installed and sqlfiles.is_installed():
        _AcceptedSql.state = installed
    if installed is None or _AcceptedSql.state is None:
        return UNAVAILABLE
    return OK if installed == _AcceptedSql.state else DEGRADED


def _replica() -> dict[str, str]:
    """Compare the replica with the primary, which serves the lists while it is away or behind."""
    return {"replica": OK if replica.is_serving() else DEGRADED}


def _broker() -> str:
    url = urlsplit(settings.CELERY_BROKER_URL)
    if url.scheme not in _BROKER_PORTS:
        return OK  # files of this machine
    address = (url.hostname or "localhost", url.port or _BROKER_PORTS[url.scheme])
    return _degraded_on_error(lambda: socket.create_connection(address, _TIMEOUT_SECONDS).close())


def _cache() -> str:
    store = caches["default"]
    if not isinstance(store, RedisCache):
        return OK
    return _degraded_on_error(lambda: store.get("health"))


def _degraded_on_error(call: Callable[[], object]) -> str:
    # Clients of caches have their own exceptions.
    with contextlib.suppress(Exception):
        call()
        return OK
    return DEGRADED
