"""Prepared, server-bound statements on Django's own connection, for hot paths.

Django's cursors bind parameters in the client and never prepare. A statement of every request
(token check, withdrawal) goes through a plain psycopg cursor on the same connection instead: same
pool, transaction and errors, but planned once per connection where the database's OPTIONS have a
`prepare_threshold`.

Such calls bypass Django's execute wrappers: query logs and `exchange.core.audit_context`.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from decimal import Decimal
from typing import Any

import psycopg
from django.db import (
    DEFAULT_DB_ALIAS,
    DatabaseError,
    InterfaceError,
    OperationalError,
    connections,
    transaction,
)
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

LOCK_NOT_AVAILABLE = "55P03"
_READ_ONLY = "25006"  # the server is a standby, such as a primary that was demoted

Row = tuple[Any, ...]
Parameters = Sequence[Any] | Mapping[str, Any]

_read_alias: ContextVar[str] = ContextVar("read_alias", default=DEFAULT_DB_ALIAS)


def read_alias() -> str:
    """Return the alias of the database that lists are read from; see `exchange.core.replica`."""
    return _read_alias.get()


@contextlib.contextmanager
def reading_from(alias: str) -> Iterator[None]:
    """Make `alias` the database that lists are read from inside the block."""
    before = _read_alias.set(alias)
    try:
        yield
    finally:
        _read_alias.reset(before)


def read_cursor() -> CursorWrapper:
    """Return a cursor on the database that lists are read from."""
    return connections[read_alias()].cursor()


def fetch_one(
    sql: str,
    parameters: Parameters = (),
    *,
    retryable: bool = False,
    using: str | None = None,
) -> Row | None:
    """Return the first row of `sql`, or None; otherwise like `fetch_all`."""
    rows = fetch_all(sql, parameters, retryable=retryable, using=using)
    return rows[0] if rows else None


def fetch_all(
    sql: str,
    parameters: Parameters = (),
    *,
    retryable: bool = False,
    using: str | None = None,
) -> list[Row]:
    """Return the rows of `sql` (placeholders `%s` or `%(name)s`).

    Runs in the open transaction, or in one of its own. A `retryable` statement (a read) is repeated
    on a new connection when the server had dropped an idle one, and inside a list goes where the
    list is read from. Raises `django.db.DatabaseError`; `sqlstate` returns its code.
    """
    connection = connections[using or (read_alias() if retryable else DEFAULT_DB_ALIAS)]
    try:
        return _execute(connection, sql, parameters)
    except OperationalError:
        if not retryable or connection.in_atomic_block or not _discard_if_closed(connection):
            raise
        return _execute(connection, sql, parameters)


def savepoint_if_in_transaction() -> AbstractContextManager[None]:
    """Return a savepoint when a transaction is open, so that it survives an error; else nothing."""
    inside = connections[DEFAULT_DB_ALIAS].in_atomic_block
    return transaction.atomic() if inside else nullcontext()


def _execute(connection: BaseDatabaseWrapper, sql: str, parameters: Parameters) -> list[Row]:
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    raw: psycopg.Connection[Any] = connection.connection
    with connection.wrap_database_errors, psycopg.Cursor(raw) as cursor:
        cursor.execute(sql.encode(), parameters, prepare=raw.prepare_threshold is not None)
        # The response proves the connection: Django need not ask.
        connection.health_check_done = True  # type: ignore[attr-defined]
        return cursor.fetchall()


def _discard_if_closed(connection: BaseDatabaseWrapper) -> bool:
    """Discard the connection, and the pool's dead ones, if it is closed; return whether it was."""
    raw = connection.connection
    if raw is None or not raw.closed:
        return False
    connection.close()
    pool = getattr(connection, "pool", None)
    if pool is not None:
        pool.check()
    return True


def sqlstate(error: DatabaseError) -> str | None:
    """Return the SQLSTATE of `error`, or None without one from the server."""
    cause = error.__cause__
    return cause.sqlstate if isinstance(cause, psycopg.Error) else None


def failed_inside(error: DatabaseError, function: str) -> bool:
    """Return whether `error` was raised inside the SQL function of this name."""
    cause = error.__cause__
    context = cause.diag.context if isinstance(cause, psycopg.Error) else None
    return f"function {function}(" in (context or "")


def is_unavailable(error: BaseException | None) -> bool:
    """Return whether `error` says that no database takes writes now; a repetition may succeed."""
    if isinstance(error, OperationalError | InterfaceError):
        return True
    return isinstance(error, DatabaseError) and sqlstate(error) == _READ_ONLY


def read_rejection(error: DatabaseError, state: str) -> tuple[str, dict[str, Any]] | None:
    """Return code and details of a rejection that an SQL function raised with `state`, else None.

    The code is the error's message, the details its JSON with numbers as Decimals.
    """
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error) or cause.sqlstate != state:
        return None
    details = json.loads(cause.diag.message_detail or "{}", parse_float=Decimal, parse_int=Decimal)
    return cause.diag.message_primary or "", details


def violated_constraint(error: DatabaseError) -> str | None:
    """Return the name of the constraint that `error` violated, or None."""
    cause = error.__cause__
    return cause.diag.constraint_name if isinstance(cause, psycopg.Error) else None
