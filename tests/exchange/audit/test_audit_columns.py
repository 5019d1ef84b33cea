"""Every column of every table is audited, audited with its value hidden, or left out for a reason.

A table or a column that is new fails: say in `tests.assertions.audited_columns` what it is, and put
the table under audit in its subject's SQL (docs/audit.md).
"""

import pytest
from django.db import connection

from tests.assertions.audited_columns import APPEND_ONLY, AUDITED, NOT_AUDITED

pytestmark = pytest.mark.django_db

_MARKED = ("secret", "password", "hash", "checksum")
_NO_SECRET = {
    "exchange_apikey.hash_client_secret",
    "exchange_webhookendpoint.previous_secret_until",
}


def rows(sql: str) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def columns_of_tables() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for table, column in rows(
        "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')"
        " AND a.attnum > 0 AND NOT a.attisdropped"
    ):
        found.setdefault(table, set()).add(column)
    return found


def triggers() -> dict[str, dict[str, tuple[list[str], set[str]]]]:
    """Table -> operation -> the arguments of its trigger, and the columns an UPDATE is of."""
    found: dict[str, dict[str, tuple[list[str], set[str]]]] = {}
    for table, name, arguments, columns in rows(
        "SELECT tgrelid::regclass::text, tgname, encode(tgargs, 'escape'), coalesce((SELECT"
        " string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = tgrelid AND attnum ="
        " ANY (tgattr)), '') FROM pg_trigger WHERE tgname LIKE 'audit\\_%' AND tgenabled = 'O'"
        " AND tgparentid = 0"
    ):
        operation = name.removeprefix("audit_").upper()
        found.setdefault(table, {})[operation] = (arguments.split("\\000"), set(columns.split()))
    return found


def test_every_table_is_accounted_for():
    tables = set(columns_of_tables())
    assert tables == set(AUDITED) | APPEND_ONLY | set(NOT_AUDITED)
    assert not set(AUDITED) & (APPEND_ONLY | set(NOT_AUDITED))


def test_every_column_of_an_audited_table_is_accounted_for():
    found = columns_of_tables()
    for table, said in AUDITED.items():
        names = " ".join([said.columns, said.hidden, *said.left_out.values()]).split()
        assert sorted(names) == sorted(found[table]), table


def test_the_triggers_match_the_declared_columns():
    found = triggers()
    assert set(found) == set(AUDITED)
    for table, said in AUDITED.items():
        assert set(found[table]) == {*said.operations.split(), "TRUNCATE"}, table
        for operation in said.operations.split():
            arguments, columns = found[table][operation]
            hidden, left_out = (set(text.strip("{}").split(",")) - {""} for text in arguments[2:4])
            assert hidden == set(said.hidden.split()), table
            assert left_out == set(" ".join(said.left_out.values()).split()), table
            if operation == "UPDATE" and left_out:
                assert columns == set(said.columns.split()) | hidden, table


def test_append_only_tables_are_append_only():
    guarded = rows(
        "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'append_only_rows'"
        " AND tgparentid = 0"
    )
    # A comment is also in the history of its subject.
    assert {row[0] for row in guarded} == APPEND_ONLY | {"exchange_comment"}


def test_columns_that_are_called_secret_are_hidden():
    """A new one is not taken for harmless by mistake."""
    for table, said in AUDITED.items():
        open_columns = {f"{table}.{name}" for name in said.columns.split()} - _NO_SECRET
        assert not [name for name in open_columns if any(word in name for word in _MARKED)]
