"""A snapshot of the rows that migrations made, to restore after a test that commits.

They are copied into the schema `seed` of the run's template, together with functions that restore
them. Restoring disables triggers and foreign keys, which takes a superuser: the ledger cannot be
emptied otherwise.
"""

from typing import Any, LiteralString

import psycopg
from psycopg import sql

Connection = psycopg.Connection[Any]

# The file size at which a table is truncated. Deleted and rolled back rows stay in the file until a
# vacuum, which may never run, and every later test would read past them.
BLOAT_BYTES = 1024 * 1024

# `since` is the transaction that last wrote a table's rows. While all rows are still that
# transaction's, and as many, the table is unchanged and need not be restored.
_SNAPSHOT = "CREATE TABLE seed.snapshot (name text PRIMARY KEY, since xid)"

# Tables with rows of their own: not partitioned ones, but their partitions.
_STORED_TABLES = """
SELECT oid::regclass::text FROM pg_class
WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'partitions'::regnamespace)
"""
_BLOATED = """
CREATE FUNCTION seed.bloated() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
     WHERE relnamespace IN ('public'::regnamespace, 'partitions'::regnamespace) AND relkind = 'r'
       AND pg_relation_size(oid) > {bloat_bytes}
$$
"""

# Rows are deleted, which readers do not block. Bloated tables are truncated unless they are being
# read. The session must have triggers and foreign keys disabled: disabling them here would have
# every statement planned again each time.
_RESTORE = """
CREATE FUNCTION seed.restore() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    bloated text := seed.bloated();
    changed text;
    columns text;
BEGIN
    IF bloated IS NOT NULL THEN
        SET LOCAL lock_timeout = '100ms';
        BEGIN
            EXECUTE 'TRUNCATE ' || bloated || ' CASCADE';
        EXCEPTION WHEN lock_not_available THEN
            NULL;
        END;
        SET LOCAL lock_timeout = 0;
    END IF;
    FOR changed IN SELECT name FROM (VALUES {tables}) AS tables (name, changed) WHERE tables.changed
    LOOP
        EXECUTE format('DELETE FROM public.%I', changed);
        IF EXISTS (SELECT FROM seed.snapshot WHERE name = changed) THEN
            SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
             WHERE attrelid = format('public.%I', changed)::regclass
               AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
            EXECUTE format('INSERT INTO public.%I (%s) OVERRIDING SYSTEM VALUE '
                           'SELECT %s FROM seed.%I', changed, columns, columns, changed);
            UPDATE seed.snapshot SET since = pg_current_xact_id()::xid WHERE name = changed;
        END IF;
    END LOOP;
END $$
"""
_FILLED = "({name}, EXISTS (SELECT FROM {table}))"
_TOUCHED = """({name}, (
    SELECT count(*) <> {rows} OR count(*) FILTER (WHERE t.xmin = k.since) <> {rows}
    FROM (SELECT since FROM seed.snapshot WHERE name = {name}) k LEFT JOIN {table} t ON true
    ))"""


def snapshot_rows(connection: Connection) -> None:
    """Store the current rows of all tables and switch their autovacuum off.

    Autovacuum would find tables empty between two tests and have joins planned for no rows: a proof
    of books then took minutes instead of 0.2 s.
    """
    connection.execute("CREATE SCHEMA seed")
    connection.execute(_SNAPSHOT)
    found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    tables = [name for (name,) in found.fetchall()]
    for (table,) in connection.execute(_STORED_TABLES).fetchall():
        connection.execute(
            sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = off)").format(sql.SQL(table))
        )
    states = [_state(connection, table) for table in tables]
    connection.execute(sql.SQL(_BLOATED).format(bloat_bytes=sql.Literal(BLOAT_BYTES)))
    connection.execute(sql.SQL(_RESTORE).format(tables=sql.SQL(", ").join(states)))


class Restorer:
    """Restores the stored rows over one connection for the whole run, which plans them once."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None

    def restore(self) -> None:
        """Restore every table to its snapshot."""
        self._call("SELECT seed.restore()")

    def restore_if_bloated(self) -> None:
        """Restore the tables if one is bloated."""
        self._call("SELECT seed.restore() WHERE seed.bloated() IS NOT NULL")

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _call(self, statement: LiteralString) -> None:
        if self._connection is not None and not self._connection.closed:
            try:
                self._connection.execute(statement)
            except psycopg.OperationalError:
                # A test may have terminated every session of its database.
                if not self._connection.closed:
                    raise
            else:
                return
        self._connection = psycopg.connect(
            self._url, autocommit=True, options="-c session_replication_role=replica"
        )
        self._connection.execute(statement)


def _state(connection: Connection, table: str) -> sql.Composed:
    """Store the rows of `table`, if any; return SQL that tells whether it has changed since."""
    parts = {"name": sql.Literal(table), "table": sql.Identifier("public", table)}
    count = connection.execute(sql.SQL("SELECT count(*) FROM {table}").format(**parts)).fetchone()
    assert count is not None
    if not count[0]:
        return sql.SQL(_FILLED).format(**parts)
    kept = sql.SQL("CREATE TABLE {} AS TABLE {}")
    connection.execute(kept.format(sql.Identifier("seed", table), parts["table"]))
    connection.execute("INSERT INTO seed.snapshot (name) VALUES (%s)", [table])
    return sql.SQL(_TOUCHED).format(**parts, rows=sql.Literal(count[0]))
