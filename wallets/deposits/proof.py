"""Proof of books: deposits."""

from __future__ import annotations

from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import sql_check

BOOKED = sql_check(
    "every confirmed deposit was booked once, to its owner, and nothing else as a deposit",
    """
    SELECT coalesce(d.reference, f.reference), coalesce(d.wanted, 'none'),
           coalesce(f.found, 'none')
    FROM (
        SELECT id, reference,
               '1 transfer: available of ' || owner_id || ' ' || trim_scale(amount) || ' '
               || currency_id || ', clearing ' || trim_scale(-amount) || ' ' || currency_id
               AS wanted
        FROM wallets_deposit WHERE status = 'Confirmed'
    ) d
    FULL JOIN (
        SELECT subject_id, min(reference) AS reference,
               max(transfers) || ' transfer: ' || string_agg(leg, ', ' ORDER BY leg) AS found
        FROM (
            SELECT t.subject_id, coalesce(t.subject_id, t.id) AS about,
                   min(t.reference) AS reference, count(DISTINCT t.id) AS transfers,
                   a.kind || coalesce(' of ' || a.owner_id, '') || ' '
                   || trim_scale(sum(e.amount)) || ' ' || e.asset_id AS leg
            FROM wallets_transfer t
            JOIN wallets_entry e ON e.transfer_id = t.id
            JOIN wallets_account a ON a.id = e.account_id
            WHERE t.kind = 'deposit'
            GROUP BY t.subject_id, about, a.kind, a.owner_id, e.asset_id
        ) legs GROUP BY subject_id, about
    ) f ON f.subject_id = d.id
    WHERE d.wanted IS DISTINCT FROM f.found
    """,
    recent={
        "wallets_deposit": about_recent("wallets_deposit"),
        "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS,
    },
)
