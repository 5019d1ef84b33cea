"""Django cursors with the rights of the schema's owner, in the open transaction if possible."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections, transaction


@contextmanager
def as_owner(*, rollback: bool = False) -> Iterator[Any]:
    """Yield a cursor with the owner's rights.

    An error rolls the block back; with `rollback` it is always rolled back.
    """
    alias = owner_alias()
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT current_setting('role')")
        [role] = cursor.fetchone()
        cursor.execute("SET LOCAL ROLE NONE")
        yield cursor
        cursor.execute(f"SET LOCAL ROLE {role}")
        if rollback:
            transaction.set_rollback(True, using=alias)


@contextmanager
def without_guards() -> Iterator[Any]:
    """Yield an owner's cursor with triggers and foreign keys disabled; needs a superuser."""
    with as_owner() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield cursor
        cursor.execute("SET LOCAL session_replication_role = origin")


def owner_alias() -> str:
    """Return the database alias that can take the owner's role: `default`, if a superuser's."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = session_user")
        return "default" if cursor.fetchone()[0] else "owner"
