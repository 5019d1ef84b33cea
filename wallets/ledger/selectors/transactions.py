"""Transactions of a wallet, as wire documents."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Model

from exchange.core.database import read_cursor
from wallets.ledger import payloads


def transaction_documents(subjects: Sequence[type[Model]], entry_ids: Sequence[UUID]) -> list[str]:
    """Return the documents (JSON texts) of entries, in the order of `entry_ids`.

    Entries about a record of `subjects` carry its reference, others that of their transfer.
    """
    tables = [subject._meta.db_table for subject in subjects]
    with read_cursor() as cursor:
        cursor.execute(
            f"""
            SELECT {_DOCUMENT}
            FROM (
                SELECT e.id, t.kind, e.asset_id AS currency, a.kind AS account, e.amount,
                       e.balance_after, t.subject_id, t.created_at, t.memo, wanted.place,
                       coalesce({"".join(f"{table}.reference, " for table in tables)}
                                t.reference) AS reference
                FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
                JOIN wallets_entry e ON e.id = wanted.id
                JOIN wallets_transfer t ON t.id = e.transfer_id
                JOIN wallets_account a ON a.id = e.account_id
                {" ".join(f"LEFT JOIN {table} ON {table}.id = t.subject_id" for table in tables)}
            ) r
            ORDER BY r.place
            """,  # noqa: S608 - of the declaration in payloads, and names of tables
            [list(entry_ids)],
        )
        return [text for (text,) in cursor.fetchall()]


_DOCUMENT = payloads.TRANSACTION.expression("r")
