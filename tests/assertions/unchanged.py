"""Assertions that an action, such as a rejected request, changes no row."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg
from django.db import connection

# Webhooks of earlier payouts may arrive at any time.
_WEBHOOKS = "wallets_providerevent"
# A request that queries the provider may store its bank list, or raise an alert (which is audited)
# when the provider does not respond.
_LEFT_OUT = ("wallets_banklist", "wallets_alert", "exchange_change", _WEBHOOKS)

# An API key stores the minute of its last use.
_TABLES = """
SELECT relname::text, CASE WHEN relname = 'exchange_apikey'
    THEN '(to_jsonb(t) - ''last_used_at'')::text' ELSE 't::text' END
FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname ~ %s
  AND relname <> ALL (%s) AND has_table_privilege(oid, 'SELECT')
ORDER BY relname
"""
_OURS = "^(exchange|wallets|orders|credit)_"
_TABLE = (
    "SELECT '{0}', count(*), coalesce(sum(hashtextextended({1}, 0)::numeric), 0)"
    ' FROM public."{0}" t'
)


@contextmanager
def assert_nothing_changes() -> Iterator[None]:
    """Assert that the block changes no row of our tables and adds none.

    So the books hold after it if they did before.
    """
    before = _contents(_OURS, _LEFT_OUT)
    yield
    assert _contents(_OURS, _LEFT_OUT) == before


@contextmanager
def assert_no_table_changes(*recorded: str) -> Iterator[None]:
    """Assert that the block changes no row of any table, Django's included, and adds none.

    Sessions and the provider's webhooks are left out, and the tables `recorded`, which keep what
    was tried.
    """
    before = table_fingerprints(*recorded)
    yield
    assert table_fingerprints(*recorded) == before


def table_fingerprints(*recorded: str) -> dict[str, tuple[int, int]]:
    """Return a fingerprint of every table, including Django's.

    Sessions, the provider's webhooks and the tables `recorded` are left out.
    """
    return _contents("", ("django_session", _WEBHOOKS, *recorded))


def _contents(pattern: str, left_out: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Return the number of rows and the sum of their hashes, by table."""
    statement = _statement(pattern, left_out)
    connection.ensure_connection()
    # Prepared: planning takes longer than reading the tables.
    with psycopg.Cursor(connection.connection) as cursor:
        cursor.execute(statement, prepare=True)
        return {name: (rows, int(total)) for name, rows, total in cursor.fetchall()}


@cache
def _statement(pattern: str, left_out: tuple[str, ...]) -> str:
    with connection.cursor() as cursor:
        cursor.execute(_TABLES, [pattern, list(left_out)])
        return " UNION ALL ".join(_TABLE.format(*found) for found in cursor.fetchall())
