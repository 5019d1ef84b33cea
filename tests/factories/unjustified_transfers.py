"""Transfers that no business record justifies: as set-up of a test, or to corrupt the books.

The database refuses them whoever posts, so the guards are put out of force for one call, which only
a superuser can do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import connections, transaction

from exchange.actors import Actor
from exchange.ids import uuid7
from wallets.ledger import Leg


@contextmanager
def without_guards() -> Iterator[Any]:
    """A cursor of the owner, in the open transaction if possible, with no trigger in force."""
    alias = "default" if _is_superuser() else "owner"
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT current_setting('role')")
        [role] = cursor.fetchone()
        cursor.execute("SET LOCAL ROLE NONE; SET LOCAL session_replication_role = replica")
        yield cursor
        cursor.execute(f"SET LOCAL session_replication_role = origin; SET LOCAL ROLE {role}")


def post_unjustified(
    *,
    kind: str,
    reference: str,
    subject_id: UUID | None,
    actor: Actor,
    legs: Sequence[Leg],
) -> UUID:
    """What `wallets.ledger.post_transfer` does, for a transfer that nothing called for."""
    made = uuid7()
    with without_guards() as cursor:
        cursor.execute(
            "SELECT post_transfers(%s::uuid[], %s, %s, %s::uuid[], %s, ARRAY[''], %s::uuid[],"
            " %s::uuid[], %s::numeric[])",
            [
                [made],
                [str(kind)],
                [reference],
                [subject_id],
                [str(actor)],
                [made for _ in legs],
                [leg.account_id for leg in legs],
                [leg.amount for leg in legs],
            ],
        )
    return made


def _is_superuser() -> bool:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = session_user")
        found: bool = cursor.fetchone()[0]
        return found
