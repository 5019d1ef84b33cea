"""What the database says of a statement: taken, or refused and by which rule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tests.environment.database import Connection

TAKEN = "taken"


def verdict(
    connection: Connection, statement: str, values: Any = (), *, at_commit: bool = False
) -> str:
    """TAKEN, or the constraint that refuses the statement, or else the error; nothing stays.

    With `at_commit` what is checked when a transaction commits is asked too.
    """
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement, values)
            if at_commit:
                connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg.Error as error:
        return error.diag.constraint_name or type(error).__name__
    return TAKEN


def guarded(
    connection: Connection, columns: str, function: str, *, events: str = "INSERT OR UPDATE"
) -> None:
    """Make the temporary table `given` of these columns, with the trigger function before it.

    So a guard is asked alone: no constraint of its real table answers in its place.
    """
    connection.execute(f"CREATE TEMPORARY TABLE given ({columns})")
    connection.execute(
        f"CREATE TRIGGER guard BEFORE {events} ON given FOR EACH ROW EXECUTE FUNCTION {function}"
    )


@contextmanager
def undone(connection: Connection) -> Iterator[Connection]:
    """A transaction of which nothing stays."""
    with connection.transaction(force_rollback=True):
        yield connection
