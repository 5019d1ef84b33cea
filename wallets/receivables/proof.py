"""Ledger integrity checks of write-offs."""

from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import sql_check

WRITTEN_OFF = sql_check(
    "every confirmed write-off was booked once, to its debt, and nothing else as one",
    """
    SELECT coalesce('write_off:' || w.id, f.reference), coalesce(w.wanted, 'none'),
           coalesce(f.found, 'none')
    FROM (
        SELECT x.id, '1 transfer: ' || x.account_id || ' ' || trim_scale(x.amount) AS wanted
        FROM wallets_receivablewriteoff x WHERE x.status = 'Approved'
    ) w
    FULL JOIN (
        SELECT subject_id, min(reference) AS reference,
               max(transfers) || ' transfer: ' || string_agg(leg, ', ' ORDER BY leg) AS found
        FROM (
            SELECT t.subject_id, coalesce(t.subject_id, t.id) AS about,
                   min(t.reference) AS reference, count(DISTINCT t.id) AS transfers,
                   e.account_id || ' ' || trim_scale(sum(e.amount)) AS leg
            FROM wallets_transfer t
            JOIN wallets_entry e ON e.transfer_id = t.id
            JOIN wallets_account a ON a.id = e.account_id AND a.owner_id IS NOT NULL
            WHERE t.kind = 'receivable_write_off'
            GROUP BY t.subject_id, about, e.account_id
        ) legs GROUP BY subject_id, about
    ) f ON f.subject_id = w.id
    WHERE w.wanted IS DISTINCT FROM f.found
    """,
    recent={
        "wallets_receivablewriteoff": about_recent("wallets_receivablewriteoff"),
        "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS,
    },
)
