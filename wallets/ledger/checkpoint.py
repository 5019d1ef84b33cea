"""The checkpoint of the proof of books: the ledger up to a position, account by account.

The position is a transaction id. A transfer has the id of its transaction (`created_txid`), and all
transactions below the oldest one running have ended. So the transfers below such a position are all
there and never change, however late a transaction commits.

A check of an incremental proof reads `recent_transfer`, the transfers since the checkpoint, and in
place of a table the rows that matter for them (`limit_to_recent`). The checkpoint stands for all
earlier entries: one opening entry for each account. Functions in SQL alone write it, from the
ledger's entries (`sql/checkpoint.sql`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

Recent = Mapping[str, str]
"""For tables that an incremental proof reads in part: the query of the rows; it may use the ones
before it."""


def about_recent(table: str, key: str = "id") -> str:
    """Return the query of the rows of `table` that transfers since the checkpoint are about."""
    return (
        f"SELECT * FROM public.{table} "  # noqa: S608 - names of tables and columns
        f"WHERE {key} IN (SELECT subject_id FROM recent_transfer)"
    )


# All transfers about the subjects of recent ones, so that an older one counts as well.
TRANSFERS_OF_RECENT_SUBJECTS = """
    SELECT * FROM recent_transfer WHERE subject_id IS NULL
    UNION ALL
    SELECT * FROM public.wallets_transfer
    WHERE subject_id IN (SELECT subject_id FROM recent_transfer)
"""
CHECKPOINT_AND_RECENT_ENTRIES = """
    SELECT c.account_id, a.asset_id, c.total AS amount
    FROM wallets_checkpointbalance c JOIN wallets_account a ON a.id = c.account_id
    UNION ALL
    SELECT e.account_id, e.asset_id, e.amount
    FROM public.wallets_entry e JOIN recent_transfer t ON t.id = e.transfer_id
"""
# Of each account that recent transfers moved: its entries since the last one before them.
ENTRIES_SINCE_RECENT = """
    SELECT e.* FROM (
        SELECT DISTINCT ON (r.account_id) r.account_id, r.id AS first
        FROM public.wallets_entry r JOIN recent_transfer t ON t.id = r.transfer_id
        ORDER BY r.account_id, r.id
    ) moved
    CROSS JOIN LATERAL (
        SELECT coalesce((SELECT p.id FROM public.wallets_entry p
                         WHERE p.account_id = moved.account_id AND p.id < moved.first
                         ORDER BY p.id DESC LIMIT 1), moved.first) AS id
    ) start
    JOIN public.wallets_entry e ON e.account_id = moved.account_id AND e.id >= start.id
"""


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """The position of the stored checkpoint, and the time it was taken."""

    position: int
    taken_at: datetime


def read_checkpoint() -> StoredCheckpoint | None:
    """Return the stored checkpoint, or None before the first full proof."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT position, taken_at FROM wallets_checkpoint")
        row = cursor.fetchone()
    return StoredCheckpoint(*row) if row else None


def closed_position() -> int:
    """Return the position below which every transaction had ended at the current snapshot."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        (position,) = cursor.fetchone()
    return int(position)


def advance_checkpoint(checkpoint: StoredCheckpoint | None, position: int) -> bool:
    """Advance `checkpoint` to `position`; return False if another proof has advanced it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT advance_checkpoint(%s, %s)",
            [checkpoint.position if checkpoint else None, position],
        )
        (advanced,) = cursor.fetchone()
    return bool(advanced)


def renew_checkpoint(position: int) -> None:
    """Replace the checkpoint by one of all entries up to `position`."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT remove_checkpoint()")
        advance_checkpoint(None, position)


def limit_to_recent(recent: Recent, position: int) -> str:
    """Return the WITH clause that puts `recent` in place of tables, after `position`."""
    queries = {
        "recent_transfer": "SELECT * FROM public.wallets_transfer"  # noqa: S608 - a number
        f" WHERE created_txid >= {int(position)}",
        **recent,
    }
    return "WITH " + ", ".join(f"{name} AS ({query})" for name, query in queries.items())
