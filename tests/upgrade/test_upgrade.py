"""Any difference between two schemas, and between the rows that migrations make, is found."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.assertions.schema import KINDS, Schema, differences, read_schema
from tests.environment.database import Connection, extra_database, server_url
from tests.upgrade.rows import EXACTLY, WITHIN, Rows, read_rows, row_differences, seeded_tables

pytestmark = pytest.mark.slow

CHANGES = {
    "columns": "ALTER TABLE orders_order ALTER price DROP NOT NULL",
    "tables": "ALTER TABLE orders_order SET (fillfactor = 50)",
    "constraints": "ALTER TABLE wallets_account DROP CONSTRAINT account_balance_not_negative",
    "indexes": "DROP INDEX reconciliation_of_day",
    "sequences": "ALTER SEQUENCE orders_seq CACHE 7",
    "triggers": "ALTER TABLE wallets_entry DISABLE TRIGGER append_only_rows",
    "functions": "ALTER FUNCTION id_stem(uuid) STABLE",
    "types": "ALTER TYPE withdrawal_order ADD ATTRIBUTE more text",
    "views": "CREATE VIEW more AS SELECT 1 AS one",
    "rules and policies": "CREATE POLICY more ON orders_order USING (true)",
    "partitions": "DROP TRIGGER partition_truncate ON partitions.exchange_event",
    "comments": "COMMENT ON FUNCTION exchange_member_document() IS 'another'",
    "rights": "GRANT UPDATE ON wallets_entry TO exchange_runtime",
    "owners": "ALTER TABLE orders_order OWNER TO exchange_runtime",
    "schemas and extensions": "CREATE SCHEMA more",
    "settings": "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());"
    " END $$",
}


@pytest.fixture(scope="module")
def fresh_copy(django_db_setup: None) -> Iterator[tuple[Connection, Schema, Rows]]:
    """Yield a fresh database to change, its schema, and its rows."""
    with (
        extra_database("changed", migrated=True) as name,
        psycopg.connect(server_url(name), autocommit=True) as connection,
    ):
        yield connection, read_schema(connection), read_rows(connection)


def test_the_rows_that_migrations_make_are_compared(fresh_copy):
    assert seeded_tables(fresh_copy[0]) == {*WITHIN, *EXACTLY}


def test_each_kind_of_object_has_a_change_below():
    assert CHANGES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_found(fresh_copy, kind):
    connection, before, _ = fresh_copy
    with connection.transaction(force_rollback=True):
        connection.execute(CHANGES[kind])
        found = differences(before, read_schema(connection))
    assert any(line.startswith(f"{kind}: ") for line in found), found
    assert differences(before, read_schema(connection)) == []


def test_a_revoked_privilege_and_a_changed_row_are_reported(fresh_copy):
    connection, before, rows = fresh_copy
    with connection.transaction(force_rollback=True):
        connection.execute("REVOKE UPDATE ON exchange_member FROM exchange_runtime")
        connection.execute("UPDATE wallets_transferrule SET by_service = true WHERE kind = 'trade'")
        connection.execute("DELETE FROM wallets_configuration WHERE key = 'NGN_INTERNAL_FEE'")
        assert differences(before, read_schema(connection)) == [
            "rights: table exchange_member to exchange_runtime:"
            " fresh 'INSERT, SELECT, UPDATE', upgraded 'INSERT, SELECT'"
        ]
        found = row_differences(rows, read_rows(connection))
    assert [line.partition(": ")[2].partition(":")[0] for line in found] == [
        "only in the fresh database",
        "only in the fresh database",
        "only in the upgraded database",
    ]
