"""Ledger integrity checks of transfers between wallets."""

from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import document_check, sql_check
from wallets.transfers import payloads

_RECORDS = {"wallets_wallettransfer": about_recent("wallets_wallettransfer")}

# What repays a debt of the payee counts as paid into the wallet.
MOVED = sql_check(
    "every transfer between wallets moved its amount once, and nothing else moved as one",
    """
    SELECT coalesce('transfer:' || w.id, f.reference), coalesce(w.wanted, 'none'),
           coalesce(f.found, 'none')
    FROM (
        SELECT id, '1 transfer: wallet of ' || payer_id || ' ' || trim_scale(-amount) || ' '
                   || currency_id || ', wallet of ' || payee_id || ' ' || trim_scale(amount)
                   || ' ' || currency_id AS wanted
        FROM wallets_wallettransfer
    ) w
    FULL JOIN (
        SELECT subject_id, min(reference) AS reference,
               max(transfers) || ' transfer: '
               || string_agg(leg, ', ' ORDER BY amount, leg) AS found
        FROM (
            SELECT t.subject_id, coalesce(t.subject_id, t.id) AS about,
                   min(t.reference) AS reference, count(DISTINCT t.id) AS transfers,
                   sum(e.amount) AS amount,
                   x.account || ' ' || trim_scale(sum(e.amount)) || ' ' || e.asset_id AS leg
            FROM wallets_transfer t
            JOIN wallets_entry e ON e.transfer_id = t.id
            JOIN wallets_account a ON a.id = e.account_id
            CROSS JOIN LATERAL (
                SELECT CASE WHEN a.kind = 'available' OR a.kind = 'receivable' AND e.amount > 0
                            THEN 'wallet' ELSE a.kind END
                       || coalesce(' of ' || a.owner_id, '') AS account
            ) x
            WHERE t.kind = 'wallet_transfer'
            GROUP BY t.subject_id, about, x.account, e.asset_id
        ) legs GROUP BY subject_id, about
    ) f ON f.subject_id = w.id
    WHERE w.wanted IS DISTINCT FROM f.found
    """,
    recent={**_RECORDS, "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS},
)

EVENTS = sql_check(
    "every transfer between wallets has its event",
    """
    SELECT 'transfer:' || w.id, 'transfer.completed', 'no such event'
    FROM wallets_wallettransfer w
    WHERE w.id >= (SELECT events_complete_since()) AND NOT EXISTS (
        SELECT FROM exchange_event e
        WHERE e.subject_id = w.id AND e.type = 'transfer.completed')
    """,
    recent=_RECORDS,
)

DOCUMENTS = document_check(
    "documents of transfers between wallets equal their records",
    payloads.WALLET_TRANSFER,
    recent=_RECORDS,
)
