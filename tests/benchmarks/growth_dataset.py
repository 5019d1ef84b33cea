"""Fill a database with withdrawals, deposits and their entries, by the hundred thousand.

The rows are those that the service writes, so the proof of books passes on them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

ENTRIES_EACH = 19
MEMBERS = 10_000
PENDING = 400
_CHUNK = 25_000
_SQL = Path(__file__).with_name("growth_rows.sql")
_TABLES = (
    "wallets_deposit", "wallets_transfer", "wallets_entry", "wallets_bankaccount",
    "wallets_withdrawal", "wallets_payout", "exchange_event",
    "exchange_eventnumber",
)  # fmt: skip

# Ids of the service's form: the time, a letter for the table, and the number of the unit.
GROWTH_ID = """
CREATE FUNCTION pg_temp.growth_id(at timestamptz, kind text, step integer, n bigint) RETURNS uuid
LANGUAGE sql STABLE AS $$
    SELECT (overlay(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
                    PLACING '-' FROM 9 FOR 0)
            || '-7' || lpad(to_hex(step), 3, '0') || '-b' || kind || '00-'
            || lpad(to_hex(n), 12, '0'))::uuid
$$
"""
# New tables have no statistics: records are joined by key, as in a full table.
SESSION = """
SET session_replication_role = replica; SET enable_hashjoin = off; SET enable_mergejoin = off;
SET jit = off
"""
_MEMBERS = """
INSERT INTO exchange_member
    (id, organisation_id, name, email, external_id, created_at, updated_at, document)
SELECT ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, %(organisation)s,
    'Member ' || n, 'm' || n || '@example.com', '', now(), now(), ''
FROM generate_series(0, %(members)s - 1) AS n
"""
# Their balances after all units, of which the last are pending.
_ACCOUNTS = """
INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
SELECT ('00000000-0000-700' || part.number || '-8000-' || lpad(to_hex(m), 12, '0'))::uuid, 'KES',
    part.kind, %(organisation)s, ('00000000-0000-7000-9000-' || lpad(to_hex(m), 12, '0'))::uuid,
    CASE part.number WHEN 1 THEN 2000 * units
        ELSE CASE WHEN last > %(units)s - %(pending)s THEN 10000 + mod(last * 7919, 1000) ELSE 0 END
    END
FROM generate_series(0, %(members)s - 1) AS m
CROSS JOIN LATERAL (
    SELECT (%(units)s - first) / %(members)s + 1 AS units,
        first + (%(units)s - first) / %(members)s * %(members)s AS last
    FROM (SELECT CASE m WHEN 0 THEN %(members)s ELSE m END::bigint AS first) f
) AS seen
CROSS JOIN (VALUES (1, 'available'), (2, 'escrow')) AS part (number, kind)
"""


def fill(url: str, organisation: str, entries: int, members: int = MEMBERS) -> int:
    """Insert about `entries` entries and their records as the owner; return how many."""
    units = max(-(-entries // ENTRIES_EACH), members)
    values = {
        "organisation": organisation, "units": units, "members": members, "pending": PENDING,
    }  # fmt: skip
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        for statement in (GROWTH_ID, SESSION, _MEMBERS, _ACCOUNTS):
            connection.execute(statement.encode(), values if "%(" in statement else None)
        for kind in ("clearing", "fees", "expenses"):
            connection.execute(
                "SELECT open_account(gen_random_uuid(), 'KES', %s, NULL, NULL)", [kind]
            )
        until = datetime.now(UTC) - timedelta(hours=1)
        rows = _SQL.read_text().replace("growth_id(", "pg_temp.growth_id(").encode()
        with _loading(connection):
            for first in range(1, units + 1, _CHUNK):
                last = min(first + _CHUNK - 1, units)
                with connection.transaction():
                    connection.execute(
                        rows, {**values, "until": until, "first": first, "last": last}
                    )
        connection.execute("VACUUM (FREEZE, ANALYZE)")
        connection.execute("CHECKPOINT")
    return (units - PENDING) * ENTRIES_EACH + PENDING * (ENTRIES_EACH - 5)


@contextmanager
def _loading(connection: psycopg.Connection) -> Iterator[None]:
    """Write documents although triggers are off, and build indexes once, at the end."""
    documents = ("wallets_withdrawal", "wallets_bankaccount", "wallets_deposit")
    for table in documents:
        connection.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER zz_document")
    indexes = connection.execute(
        "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
        " WHERE i.indrelid::regclass::text = ANY (%s)"
        " AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)",
        [list(_TABLES)],
    ).fetchall()
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    yield
    connection.execute("SET maintenance_work_mem = '512MB'")
    for _, definition in indexes:
        # Of a partitioned table: also on its partitions.
        connection.execute(definition.replace(" ON ONLY ", " ON ", 1))
    for table in documents:
        connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER zz_document")
