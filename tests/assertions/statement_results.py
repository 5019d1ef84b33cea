"""What the database says of a statement: taken, or refused and by which rule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import Error

from tests.environment.database import Connection

ACCEPTED = "taken"


def try_statement(
    connection: Connection, statement: str, values: Any = (), *, at_commit: bool = False
) -> str:
    """TAKEN, or what refuses the statement; nothing stays.

    With `at_commit` what is checked when a transaction commits is asked too.
    """
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement, values)
            if at_commit:
                connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg.Error as error:
        return violated_rule(error)
    return ACCEPTED


def violated_rule(error: psycopg.Error | Error) -> str:
    """The constraint that an error of the database names, or else the kind of the error."""
    refusal: Any = error.__cause__ if isinstance(error, Error) else error
    return refusal.diag.constraint_name or type(refusal).__name__


def create_guarded_table(
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
def rolled_back(connection: Connection) -> Iterator[Connection]:
    """A transaction of which nothing stays."""
    with connection.transaction(force_rollback=True):
        yield connection
