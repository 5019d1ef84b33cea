"""Whether the database accepts a statement, or the rule that rejects it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import Error

from tests.environment.database import Connection

ACCEPTED = "accepted"


def try_statement(
    connection: Connection, statement: str, values: Any = (), *, at_commit: bool = False
) -> str:
    """Run the statement, roll it back, and return ACCEPTED or the violated rule.

    With `at_commit` deferred constraints are checked too.
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
    """Return the constraint that a database error names, or the type of the error."""
    refusal: Any = error.__cause__ if isinstance(error, Error) else error
    return refusal.diag.constraint_name or type(refusal).__name__


def create_guarded_table(
    connection: Connection, columns: str, function: str, *, events: str = "INSERT OR UPDATE"
) -> None:
    """Create the temporary table `given` with these columns and the trigger function.

    This tests a guard alone: no constraint of its real table can reject a row first.
    """
    connection.execute(f"CREATE TEMPORARY TABLE given ({columns})")
    connection.execute(
        f"CREATE TRIGGER guard BEFORE {events} ON given FOR EACH ROW EXECUTE FUNCTION {function}"
    )


@contextmanager
def rolled_back(connection: Connection) -> Iterator[Connection]:
    """Open a transaction that is rolled back."""
    with connection.transaction(force_rollback=True):
        yield connection
