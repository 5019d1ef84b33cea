"""The rows that migrations make, compared by content without ids and times."""

from typing import LiteralString

from psycopg import sql

from tests.environment.database import Connection

Rows = dict[str, set[str]]

# Of each table one text a row; an upgraded database may have more.
WITHIN: dict[str, LiteralString] = {
    "auth_group": "SELECT name FROM auth_group",
    "django_content_type": "SELECT app_label || '.' || model FROM django_content_type",
    "auth_permission": """
        SELECT c.app_label || '.' || p.codename || ' of ' || c.model || ': ' || p.name
        FROM auth_permission p JOIN django_content_type c ON c.id = p.content_type_id
    """,
    "exchange_currency": "SELECT exchange_currency::text FROM exchange_currency",
    "exchange_catalogue": "SELECT id::text FROM exchange_catalogue",
    "wallets_asset": "SELECT wallets_asset::text FROM wallets_asset",
    "wallets_account": "SELECT kind || ' ' || asset_id FROM wallets_account WHERE owner_id IS NULL",
    "wallets_configuration": """
        SELECT key || ' = ' || trim_scale(value) || ': ' || description FROM wallets_configuration
    """,
    "wallets_payoutcircuit": "SELECT id::text FROM wallets_payoutcircuit",
}
# The same in both, to the last row: who may do what, and what may be posted.
EXACTLY: dict[str, LiteralString] = {
    "auth_group_permissions": """
        SELECT g.name || ' may ' || c.app_label || '.' || p.codename
        FROM auth_group_permissions m
        JOIN auth_group g ON g.id = m.group_id
        JOIN auth_permission p ON p.id = m.permission_id
        JOIN django_content_type c ON c.id = p.content_type_id
    """,
    "wallets_transferrule": "SELECT to_jsonb(r)::text FROM wallets_transferrule r",
}
# What migrations did, and when.
_TRACES = {"django_migrations", "exchange_change"}
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"


def empty_tables(connection: Connection) -> list[str]:
    """Return the tables without rows."""
    return [table for table in _tables(connection) if not _has_rows(connection, table)]


def seeded_tables(connection: Connection) -> set[str]:
    """Return the tables with rows in a freshly migrated database."""
    return set(_tables(connection)) - set(empty_tables(connection)) - _TRACES


def read_rows(connection: Connection) -> Rows:
    """Return the rows of these tables as texts, by table."""
    return {
        table: {str(text) for (text,) in connection.execute(query).fetchall()}
        for table, query in {**WITHIN, **EXACTLY}.items()
    }


def row_differences(fresh: Rows, upgraded: Rows) -> list[str]:
    """Return one line for each seeded row that one of the two lacks."""
    found = []
    for table, wanted in fresh.items():
        there = upgraded[table]
        found += [f"{table}: only in the fresh database: {row}" for row in sorted(wanted - there)]
        if table in EXACTLY:
            more = sorted(there - wanted)
            found += [f"{table}: only in the upgraded database: {row}" for row in more]
    return found


def _tables(connection: Connection) -> list[str]:
    return [table for (table,) in connection.execute(_TABLES).fetchall()]


def _has_rows(connection: Connection, table: str) -> bool:
    query = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier("public", table))
    found = connection.execute(query).fetchone()
    return found is not None and bool(found[0])
