"""What a refusal leaves as it was: every row of our tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.db import connection

# A request that asks the provider may keep its bank list, or raise an alert (which the audit tells
# of) that it does not answer.
_LEFT_OUT = ("wallets_banklist", "wallets_alert", "exchange_change")

_TABLES = """
SELECT tablename FROM pg_tables
WHERE schemaname = 'public' AND tablename ~ '^(exchange|wallets|orders|credit)_'
  AND tablename <> ALL (%s) AND has_table_privilege(format('public.%%I', tablename), 'SELECT')
ORDER BY tablename
"""
# A key remembers the minute of its last use.
_TABLE = (
    "SELECT '{0}', count(*),"
    " coalesce(sum(hashtextextended((to_jsonb(t) - 'last_used_at')::text, 0)::numeric), 0)"
    ' FROM public."{0}" t'
)


@contextmanager
def nothing_moves() -> Iterator[None]:
    """Asserts that the block leaves every row of our tables as it was, and adds none.

    The books hold after it if they did before: nothing that they are proven from is another.
    """
    before = _contents()
    yield
    assert _contents() == before


def _contents() -> dict[str, tuple[int, int]]:
    """Rows and a sum of their hashes, by table."""
    with connection.cursor() as cursor:
        cursor.execute(_statement())
        return {name: (rows, int(total)) for name, rows, total in cursor.fetchall()}


@cache
def _statement() -> str:
    with connection.cursor() as cursor:
        cursor.execute(_TABLES, [list(_LEFT_OUT)])
        return " UNION ALL ".join(_TABLE.format(name) for (name,) in cursor.fetchall())
