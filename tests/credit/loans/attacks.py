"""Attacks on loans by plain SQL: rejected statements, and what the proof of books finds."""

import psycopg
import pytest

from credit.loans.models import Loan
from exchange.core.ids import uuid7
from tests.assertions.unchanged import assert_nothing_changes
from tests.environment.database import Connection

_GUARDS = [
    *(("credit_loan", name) for name in ("guard_start", "guard_moves", "keep_columns")),
    ("credit_loan", "loan_guard"),
    ("credit_repayment", "repayment_guard"),
    ("credit_closureproposal", "approval_guard"),
    ("credit_closureproposal", "closure_guard"),
]


def assert_rejected(
    connection: Connection, attack: str, loan: Loan, *wrong: type[psycopg.Error]
) -> None:
    """Assert that PostgreSQL rejects the statement and nothing changes."""
    with assert_nothing_changes(), pytest.raises(wrong):
        connection.execute(attack, {"loan": loan.id, "new": uuid7()})


def bypass_guards(owner: Connection, statement: str, *values: object) -> None:
    """Run a statement as the owner of the tables, with the guards disabled."""
    for table, guard in _GUARDS:
        owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER {guard}")
    owner.execute(statement, values)
    for table, guard in _GUARDS:
        owner.execute(f"ALTER TABLE {table} ENABLE TRIGGER {guard}")


def copy_loan_sql(**changes: str) -> str:
    """Return SQL that inserts a copy of `%(loan)s` with `changes`."""
    columns = [str(field.column) for field in Loan._meta.concrete_fields]
    values = [changes.get(name, name) for name in columns]
    return (
        f"INSERT INTO credit_loan ({', '.join(columns)}) SELECT {', '.join(values)}"
        " FROM credit_loan WHERE id = %(loan)s"
    )
