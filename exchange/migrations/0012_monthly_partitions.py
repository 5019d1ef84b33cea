"""Events, delivery attempts, changes and idempotency records are partitioned by month.

No row is copied. Each table becomes the first partition of a new table with its name, rights,
triggers, constraints and indexes (decision 35). What takes long runs beside the service: a CHECK of
the table's largest key is validated, and indexes of idempotency keys are built. The exchange itself
locks the table for milliseconds. A migration that was interrupted continues when it is run again.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.db import connections, migrations, models, transaction

import exchange.core.models
from exchange.core.table_locks import LOCK_TIMEOUT, in_turns

# The tables, and their column that the months are ranges of: ids are UUIDv7.
_TABLES = {
    "exchange_event": "id",
    "exchange_deliveryattempt": "id",
    "exchange_change": "id",
    "exchange_idempotencyrecord": "month",
}
# The first partition ends with the month of this margin: rows arrive while the CHECK is validated.
_MARGIN = timedelta(days=7)
_MAX_AHEAD = timedelta(days=366)


def partition_tables(apps: Any, schema_editor: Any) -> None:
    """Make each table partitioned unless it is."""
    del apps
    alias = schema_editor.connection.alias
    with schema_editor.connection.cursor() as cursor:
        if not _value(cursor, "SELECT to_regnamespace('partitions') IS NOT NULL"):
            cursor.execute("CREATE SCHEMA partitions")
        for table, key in _TABLES.items():
            if _value(cursor, "SELECT relkind FROM pg_class WHERE oid = %s::regclass", table) == "p":
                continue
            if key == "month":
                _prepare_keys(cursor, table)
            end = _check_end(cursor, table, key)
            # Here, so that the CHECK is validated once.
            in_turns(
                partial(_exchange, alias, table, key, end), effect=f"{table} is not partitioned"
            )
            cursor.execute(f"ANALYZE {table}")


def _prepare_keys(cursor: Any, table: str) -> None:
    """Add the month, with one value for all rows, and build the unique indexes with it."""
    month = datetime.now(UTC).date().replace(day=1)
    cursor.execute(
        f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS month date NOT NULL DEFAULT '{month}'"
    )
    for name, columns in _KEY_INDEXES.items():
        # An interrupted build leaves an invalid index.
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {name} ON {table} ({columns})")


_KEY_INDEXES = {
    "idempotency_key_of_month": "organisation_id, method, path, key, month",
    "idempotency_id_of_month": "id, month",
}


def _check_end(cursor: Any, table: str, key: str) -> date:
    """Validate that all rows are before the end of the first partition; return it."""
    now = datetime.now(UTC)
    latest = now + _MARGIN
    cursor.execute(f"SELECT {key} FROM {table} ORDER BY {key} DESC LIMIT 1")
    for (value,) in cursor.fetchall():
        latest = max(latest, _moment(value))
    if latest > now + _MAX_AHEAD:
        raise CommandError(
            f"{table}: the latest {key} is of {latest:%Y-%m-%d}, more than a year ahead, so the table"
            " cannot be partitioned by month. Find out whose clock was wrong, and remove or renumber"
            " the row."
        )
    end = (latest.date().replace(day=1) + timedelta(days=31)).replace(day=1)
    constraint = f"{table}_first_partition"
    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {constraint}")
    cursor.execute(
        f"ALTER TABLE {table} ADD CONSTRAINT {constraint} CHECK ({key} < '{_bound(key, end)}') NOT VALID"
    )
    cursor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {constraint}")
    return end


def _moment(value: UUID | date) -> datetime:
    if isinstance(value, UUID):
        milliseconds = min(value.int >> 80, 253_402_300_799_000)  # the year 9999
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    return datetime(value.year, value.month, value.day, tzinfo=UTC)


def _bound(key: str, month: date) -> str:
    if key == "month":
        return str(month)
    moment = datetime(month.year, month.month, 1, tzinfo=UTC)
    return str(UUID(int=int(moment.timestamp() * 1000) << 80))


def _exchange(alias: str, table: str, key: str, end: date) -> None:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
        _make_first_partition(cursor, table, key, end)


def _make_first_partition(cursor: Any, table: str, key: str, end: date) -> None:
    """Put the table into a new one with the same name, as its first partition."""
    cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
    if table == "exchange_event":
        for (name,) in _rows(cursor, _REFERENCES, table):
            cursor.execute(f"ALTER TABLE exchange_deliveryattempt DROP CONSTRAINT {name}")
    if key == "month":
        _replace_keys(cursor, table)
    checks = _rows(cursor, _CONSTRAINTS, table, f"{table}_first_partition")
    indexes = _rows(cursor, _INDEXES, table)
    triggers = _rows(cursor, _TRIGGERS, table)
    rights = _rows(cursor, _RIGHTS, table, table)
    for name, _ in triggers:
        cursor.execute(f"DROP TRIGGER {name} ON {table}")

    bound = _bound(key, end)
    cursor.execute(f"ALTER TABLE public.{table} SET SCHEMA partitions")
    cursor.execute(
        f"CREATE TABLE public.{table} (LIKE partitions.{table} INCLUDING DEFAULTS INCLUDING STORAGE)"
        f" PARTITION BY RANGE ({key})"
    )
    for name, definition in checks:
        cursor.execute(f"ALTER TABLE public.{table} ADD CONSTRAINT {name} {definition}")
    for _, definition in [*indexes, *triggers]:
        cursor.execute(definition)
    if key == "month":
        cursor.execute(f"ALTER SEQUENCE {_SEQUENCE} OWNED BY {table}.id")
    # The indexes and the validated CHECK of the partition are used: nothing is built or read.
    cursor.execute(
        f"ALTER TABLE public.{table} ATTACH PARTITION partitions.{table}"
        f" FOR VALUES FROM (MINVALUE) TO ('{bound}')"
    )
    cursor.execute(f"ALTER TABLE partitions.{table} DROP CONSTRAINT {table}_first_partition")
    cursor.execute(
        f"CREATE TABLE partitions.{table}_later PARTITION OF public.{table}"
        f" FOR VALUES FROM ('{bound}') TO (MAXVALUE)"
    )
    for (grant,) in rights:
        cursor.execute(grant)


_SEQUENCE = "exchange_idempotencyrecord_id_seq"


def _replace_keys(cursor: Any, table: str) -> None:
    """Include the month in the keys, and replace the identity, which partitions cannot have."""
    primary, once = f"{table}_pkey", "idempotency_key_once"
    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {once}, DROP CONSTRAINT {primary}")
    cursor.execute(
        f"ALTER TABLE {table}"
        f" ADD CONSTRAINT {once} UNIQUE USING INDEX idempotency_key_of_month,"
        f" ADD CONSTRAINT {primary} PRIMARY KEY USING INDEX idempotency_id_of_month"
    )
    following = _value(cursor, f"SELECT nextval('{_SEQUENCE}')")
    cursor.execute(f"ALTER TABLE {table} ALTER id DROP IDENTITY")
    cursor.execute(f"CREATE SEQUENCE {_SEQUENCE}")
    cursor.execute(f"SELECT setval('{_SEQUENCE}', {following}, false)")
    cursor.execute(f"ALTER TABLE {table} ALTER id SET DEFAULT nextval('{_SEQUENCE}')")


_REFERENCES = """
SELECT quote_ident(conname) FROM pg_constraint
WHERE contype = 'f' AND confrelid = %s::regclass
    AND conrelid = 'exchange_deliveryattempt'::regclass
"""
_CONSTRAINTS = """
SELECT quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = %s::regclass AND contype IN ('c', 'f', 'p', 'u') AND conname <> %s
ORDER BY conname
"""
_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index i
WHERE indrelid = %s::regclass
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
ORDER BY 1
"""
_TRIGGERS = """
SELECT quote_ident(tgname), pg_get_triggerdef(oid) FROM pg_trigger
WHERE tgrelid = %s::regclass AND NOT tgisinternal ORDER BY tgname
"""
# Rights of roles other than the owner: on the table, and on columns.
_RIGHTS = """
SELECT format('GRANT %%s%%s ON %%s TO %%s', privilege_type, on_columns, of_table,
              CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
FROM (
    SELECT r.*, '' AS on_columns, c.oid::regclass AS of_table, c.relowner
    FROM pg_class c, aclexplode(c.relacl) r WHERE c.oid = %s::regclass
    UNION ALL
    SELECT r.*, format('(%%I)', a.attname), c.oid::regclass, c.relowner
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, aclexplode(a.attacl) r
    WHERE c.oid = %s::regclass
) g
WHERE grantee <> relowner
"""


def _rows(cursor: Any, query: str, *parameters: str) -> list[Any]:
    cursor.execute(query, parameters)
    found: list[Any] = cursor.fetchall()
    return found


def _value(cursor: Any, query: str, *parameters: str) -> Any:
    return _rows(cursor, query, *parameters)[0][0]


class Migration(migrations.Migration):
    # Indexes are built concurrently; each table is exchanged in a transaction of its own.
    atomic = False

    dependencies = [("exchange", "0011_write_positions")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(partition_tables)],
            state_operations=[
                migrations.AddField(
                    model_name="idempotencyrecord",
                    name="month",
                    field=models.DateField(default=exchange.core.models.current_month),
                ),
                migrations.RemoveConstraint(
                    model_name="idempotencyrecord", name="idempotency_key_once"
                ),
                migrations.AddConstraint(
                    model_name="idempotencyrecord",
                    constraint=models.UniqueConstraint(
                        fields=("organisation", "method", "path", "key", "month"),
                        name="idempotency_key_once",
                    ),
                ),
                migrations.AlterField(
                    model_name="deliveryattempt",
                    name="event",
                    field=models.ForeignKey(
                        db_constraint=False,
                        on_delete=models.deletion.PROTECT,
                        related_name="delivery_attempts",
                        to="exchange.event",
                    ),
                ),
            ],
        )
    ]
