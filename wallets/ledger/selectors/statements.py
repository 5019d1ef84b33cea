"""Entries of a statement, as wire documents."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from wallets.ledger import payloads


def transaction_documents(entry_ids: Sequence[UUID]) -> list[str]:
    """The documents (JSON texts) of entries, in the order of `entry_ids`."""
    with connection.cursor() as cursor:
        cursor.execute(_TRANSACTIONS, [list(entry_ids)])
        return [text for (text,) in cursor.fetchall()]


_TRANSACTIONS = f"""
    SELECT {payloads.TRANSACTION.expression("r")}
    FROM (
        SELECT e.id, t.kind, e.asset_id AS currency, a.kind AS account, e.amount, e.balance_after,
               coalesce(w.reference, d.reference, t.reference) AS reference,
               t.subject_id, t.created_at, wanted.place
        FROM unnest(%s::uuid[]) WITH ORDINALITY AS wanted (id, place)
        JOIN wallets_entry e ON e.id = wanted.id
        JOIN wallets_transfer t ON t.id = e.transfer_id
        JOIN wallets_account a ON a.id = e.account_id
        LEFT JOIN wallets_withdrawal w ON w.id = t.subject_id
        LEFT JOIN wallets_deposit d ON d.id = t.subject_id
    ) r
    ORDER BY r.place
"""  # noqa: S608 - built from the declaration in payloads
