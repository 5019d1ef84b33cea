"""Ledger integrity checks of treasury movements."""

from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import sql_check

MOVED = sql_check(
    "every confirmed treasury movement moved its amounts once, and nothing else moved as one",
    """
    SELECT coalesce('treasury:' || m.id, f.reference), coalesce(m.wanted, 'none'),
           coalesce(f.found, 'none')
    FROM (
        SELECT x.id, '1 transfer: ' || string_agg(
                   l.account || ' ' || trim_scale(l.amount) || ' ' || l.currency, ', '
                   ORDER BY l.account, l.currency) AS wanted
        FROM wallets_treasurymovement x
        CROSS JOIN LATERAL treasury_legs(
            x.kind, x.currency_id, x.amount, x.charge, x.bought_currency_id, x.bought_amount,
            x.closed_amount) l
        WHERE x.status = 'Approved'
        GROUP BY x.id
    ) m
    FULL JOIN (
        SELECT subject_id, min(reference) AS reference,
               max(transfers) || ' transfer: '
               || string_agg(account || ' ' || trim_scale(amount) || ' ' || asset_id, ', '
                             ORDER BY account, asset_id) AS found
        FROM (
            SELECT t.subject_id, coalesce(t.subject_id, t.id) AS about,
                   min(t.reference) AS reference, count(DISTINCT t.id) AS transfers,
                   a.kind || coalesce(' of ' || a.owner_id, '') AS account, e.asset_id,
                   sum(e.amount) AS amount
            FROM wallets_transfer t
            JOIN wallets_entry e ON e.transfer_id = t.id
            JOIN wallets_account a ON a.id = e.account_id
            WHERE t.kind = 'treasury'
            GROUP BY t.subject_id, about, a.kind, a.owner_id, e.asset_id
        ) legs GROUP BY subject_id, about
    ) f ON f.subject_id = m.id
    WHERE m.wanted IS DISTINCT FROM f.found
    """,
    recent={
        "wallets_treasurymovement": about_recent("wallets_treasurymovement"),
        "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS,
    },
)

TREASURY = sql_check(
    "treasury equals top-ups less draw-downs and the money of closed positions",
    """
    SELECT c.id, coalesce(m.total, 0), coalesce(e.total, 0)
    FROM wallets_asset c
    LEFT JOIN (
        SELECT l.currency, sum(l.amount) AS total
        FROM wallets_treasurymovement x
        CROSS JOIN LATERAL treasury_legs(
            x.kind, x.currency_id, x.amount, x.charge, x.bought_currency_id, x.bought_amount,
            x.closed_amount) l
        WHERE x.status = 'Approved' AND l.account = 'treasury'
        GROUP BY l.currency
    ) m ON m.currency = c.id
    LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
               FROM wallets_entry x JOIN wallets_account a ON a.id = x.account_id
               WHERE a.kind = 'treasury' GROUP BY x.asset_id) e ON e.asset_id = c.id
    WHERE coalesce(m.total, 0) <> coalesce(e.total, 0)
    """,
)
