"""A copy of a table with single triggers, to test a guard function at its boundaries.

On the real table other guards, keys and the audit reject most of the rows that this needs. The
attack tests show that the guard is installed there.
"""

from collections.abc import Sequence
from typing import Any

from django.db import Error

from tests.assertions.statement_results import ACCEPTED, violated_rule
from tests.factories.bare_rows import as_json


class GuardedCopy:
    """An empty temporary table of the same name, with `function` as its only trigger.

    It also has those triggers of the table that are named as `declared`, as they are there.

    `cursor` comes from `without_guards`: no other trigger runs, and all of it is rolled back.
    Each attempt returns ACCEPTED or the violated rule; `message` holds the error message.
    """

    def __init__(
        self,
        cursor: Any,
        table: str,
        function: str,
        timing: str = "BEFORE INSERT OR UPDATE OR DELETE",
        *,
        declared: Sequence[str] = (),
    ) -> None:
        self.message = ""
        self._cursor = cursor
        self._table = f"pg_temp.{table}"
        self._triggers = list(declared)
        cursor.execute(
            "SELECT pg_get_triggerdef(oid) FROM pg_trigger"
            " WHERE tgrelid = %s::regclass AND tgname = ANY (%s)",
            [f"public.{table}", self._triggers],
        )
        definitions = [
            text.replace(f" ON public.{table} ", f" ON {self._table} ")
            for (text,) in cursor.fetchall()
        ]
        assert len(definitions) == len(declared)
        if function:
            # After those that are declared, as triggers fire by name.
            self._triggers.append("own_guard")
            definitions.append(
                f"CREATE TRIGGER own_guard {timing} ON {self._table}"
                f" FOR EACH ROW EXECUTE FUNCTION public.{function}()"
            )
        cursor.execute(
            f"DROP TABLE IF EXISTS {self._table};"
            f" CREATE TEMPORARY TABLE {table} AS SELECT * FROM public.{table} WITH NO DATA"
        )
        for definition in definitions:
            cursor.execute(definition)
        self._enable()

    def insert(self, row: dict[str, Any]) -> str:
        """Try to insert a row."""
        return self._attempt(
            f"INSERT INTO {self._table} SELECT * FROM"
            f" jsonb_populate_record(NULL::{self._table}, %s)",
            row,
        )

    def update(self, row: dict[str, Any], **changes: Any) -> str:
        """Try to apply `changes` to a table with this single row."""
        self._only(row)
        values = ", ".join(f"{name} = n.{name}" for name in changes)
        return self._attempt(
            f"UPDATE {self._table} SET {values}"
            f" FROM jsonb_populate_record(NULL::{self._table}, %s) n",
            changes,
        )

    def delete(self, row: dict[str, Any]) -> str:
        """Try to delete from a table with this single row."""
        self._only(row)
        return self._attempt(f"DELETE FROM {self._table} WHERE %s::jsonb IS NOT NULL", {})

    def rows(self, columns: str) -> list[tuple[Any, ...]]:
        """Return the rows of the copy."""
        self._cursor.execute(f"SELECT {columns} FROM {self._table}")
        found: list[tuple[Any, ...]] = self._cursor.fetchall()
        return found

    def _only(self, row: dict[str, Any]) -> None:
        self._cursor.execute(
            f"ALTER TABLE {self._table} DISABLE TRIGGER USER; DELETE FROM {self._table}"
        )
        assert self.insert(row) == ACCEPTED
        self._enable()

    def _enable(self) -> None:
        for name in self._triggers:
            self._cursor.execute(f"ALTER TABLE {self._table} ENABLE ALWAYS TRIGGER {name}")

    def _attempt(self, statement: str, row: dict[str, Any]) -> str:
        self._cursor.execute("SAVEPOINT attempt")
        try:
            self._cursor.execute(statement, [as_json(row)])
        except Error as error:
            self._cursor.execute("ROLLBACK TO SAVEPOINT attempt")
            refusal: Any = error.__cause__
            self.message = refusal.diag.message_primary
            return violated_rule(error)
        return ACCEPTED
