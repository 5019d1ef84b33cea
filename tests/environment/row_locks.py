"""The rows that a call locks, and the strength of the locks.

During the call another connection tries to lock every row of some tables: FOR NO KEY UPDATE, which
any lock prevents, then FOR KEY SHARE, which only an exclusive lock prevents.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import models, transaction

from tests.environment.database import Connection, session


def locked_rows(
    act: Callable[[], object], tables: Sequence[type[models.Model]]
) -> tuple[set[Any], set[Any]]:
    """Return the keys that `act` locks, and those of them exclusively; roll `act` back."""
    with session("owner") as other, transaction.atomic():
        act()
        found = (
            _locked_keys(other, "NO KEY UPDATE", tables),
            _locked_keys(other, "KEY SHARE", tables),
        )
        transaction.set_rollback(True)
    return found


def _locked_keys(
    other: Connection, strength: str, tables: Sequence[type[models.Model]]
) -> set[Any]:
    """Return the keys of rows that another transaction cannot lock that way."""
    found = set()
    for model in tables:
        key, table = model._meta.pk.column, model._meta.db_table
        every = {row for (row,) in other.execute(f"SELECT {key} FROM {table}")}
        free = other.execute(f"SELECT {key} FROM {table} FOR {strength} SKIP LOCKED")
        found |= every - {row for (row,) in free}
    other.rollback()
    return found
