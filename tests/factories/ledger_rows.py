"""Many withdrawals with their entries, inserted in bulk as in the benchmarks."""

from pathlib import Path
from uuid import UUID

import psycopg

ENTRIES_EACH = 10
_SQL = Path(__file__).with_suffix(".sql")


def fill_withdrawals(url: str, organisation: UUID | str, first: int, last: int) -> None:
    """Insert withdrawals number `first` to `last` of members of `organisation` as the owner."""
    with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as connection:
        values = {"organisation": organisation, "first": first, "last": last}
        connection.execute(_SQL.read_text().encode(), values)
