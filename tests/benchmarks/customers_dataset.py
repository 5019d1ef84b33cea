"""Fill a database with members that have about ten records each."""

from pathlib import Path

import psycopg

from tests.benchmarks import growth_dataset

_SQL = Path(__file__).with_name("customers_rows.sql")
# Of the owners' pages.
_COUNTED = (
    "wallets_deposit", "wallets_withdrawal", "wallets_wallettransfer", "wallets_conversion",
    "orders_order", "credit_loan", "exchange_event",
)  # fmt: skip


def fill(url: str, organisation: str, token: str, members: int) -> int:
    """Insert `members` of `organisation` and their records as the owner; return how many records.

    Each member has six deposits and a withdrawal with their ledger entries, and what
    `customers_rows.sql` adds.
    """
    growth_dataset.fill(url, organisation, members * growth_dataset.ENTRIES_EACH, members)
    rows = _SQL.read_text().replace("growth_id(", "pg_temp.growth_id(").encode()
    values = {"organisation": organisation, "token": token, "members": members}
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        for statement in (growth_dataset.GROWTH_ID, growth_dataset.SESSION):
            connection.execute(statement.encode())
        with connection.transaction():
            connection.execute(rows, values)
        connection.execute("VACUUM (FREEZE, ANALYZE)")
        connection.execute("CHECKPOINT")
        total = 0
        for table in _COUNTED:
            found = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
            total += found[0] if found else 0
    return total
