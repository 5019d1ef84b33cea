"""Hot single statements: a prepared, server-bound call on Django's own connection.

Django's cursors bind parameters in the client and never prepare. A statement that runs at every
request (the check of the access token, a withdrawal) is sent through a plain psycopg cursor on
the same connection instead: same pool, same transaction, same errors, but parsed and planned once
per connection where the database's OPTIONS give a `prepare_threshold`.

Such a call does not pass Django's execute wrappers: what hooks into those (query logs, who is
acting: `exchange.core.audit_context`) does not see it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from decimal import Decimal
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, DatabaseError, OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_NOT_AVAILABLE = "55P03"

Row = tuple[Any, ...]


def fetch_one(
    sql: str,
    parameters: Sequence[Any] = (),
    *,
    retryable: bool = False,
    using: str = DEFAULT_DB_ALIAS,
) -> Row | None:
    """The first row of `sql`, or None when there is none; otherwise as `fetch_all`."""
    rows = fetch_all(sql, parameters, retryable=retryable, using=using)
    return rows[0] if rows else None


def fetch_all(
    sql: str,
    parameters: Sequence[Any] = (),
    *,
    retryable: bool = False,
    using: str = DEFAULT_DB_ALIAS,
) -> list[Row]:
    """The rows of `sql` (placeholders `%s`).

    Part of the open transaction when there is one, else a transaction of its own. A `repeatable`
    statement (a read) is sent once more over a new connection when the server had dropped ours
    while it lay idle. Raises `django.db.DatabaseError` like any query; `sqlstate` tells which.
    """
    connection = connections[using]
    try:
        return _execute(connection, sql, parameters)
    except OperationalError:
        if not retryable or connection.in_atomic_block or not _discard_if_closed(connection):
            raise
        return _execute(connection, sql, parameters)


def savepoint_if_in_transaction() -> AbstractContextManager[None]:
    """Return a savepoint where a transaction is open, which can so be used after a refusal.

    Else nothing: a statement is a transaction of its own.
    """
    inside = connections[DEFAULT_DB_ALIAS].in_atomic_block
    return transaction.atomic() if inside else nullcontext()


def _execute(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any]) -> list[Row]:
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    raw: psycopg.Connection[Any] = connection.connection
    with connection.wrap_database_errors, psycopg.Cursor(raw) as cursor:
        cursor.execute(sql.encode(), parameters, prepare=raw.prepare_threshold is not None)
        return cursor.fetchall()


def _discard_if_closed(connection: BaseDatabaseWrapper) -> bool:
    """Whether the connection is dead; then it is put away, and the pool sheds its dead ones."""
    raw = connection.connection
    if raw is None or not raw.closed:
        return False
    connection.close()
    pool = getattr(connection, "pool", None)
    if pool is not None:
        pool.check()
    return True


def sqlstate(error: DatabaseError) -> str | None:
    """The SQLSTATE of `error`, or None when the server did not give one."""
    cause = error.__cause__
    return cause.sqlstate if isinstance(cause, psycopg.Error) else None


def read_rejection(error: DatabaseError, state: str) -> tuple[str, dict[str, Any]] | None:
    """The code and the details of a refusal that a function of ours raised with `state`: its
    message and its JSON, numbers as Decimals. None when `error` is no such refusal.
    """
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error) or cause.sqlstate != state:
        return None
    details = json.loads(cause.diag.message_detail or "{}", parse_float=Decimal, parse_int=Decimal)
    return cause.diag.message_primary or "", details


def violated_constraint(error: DatabaseError) -> str | None:
    """The name of the constraint that `error` says was violated, or None."""
    cause = error.__cause__
    return cause.diag.constraint_name if isinstance(cause, psycopg.Error) else None
