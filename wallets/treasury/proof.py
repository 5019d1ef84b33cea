"""Ledger integrity checks of treasury movements."""

from wallets.ledger.checkpoint import about_recent
from wallets.ledger.proof import sql_check, transfer_check

MOVED = transfer_check(
    "every confirmed treasury movement moved its amounts once, and nothing else moved as one",
    "treasury",
    """
    SELECT x.id, 'treasury:' || x.id AS subject, l.account, l.currency AS asset_id, l.amount
    FROM wallets_treasurymovement x
    CROSS JOIN LATERAL treasury_legs(
        x.kind, x.currency_id, x.amount, x.charge, x.bought_currency_id, x.bought_amount,
        x.closed_amount) l
    WHERE x.status = 'Approved'
    """,
    recent={"wallets_treasurymovement": about_recent("wallets_treasurymovement")},
)

TREASURY = sql_check(
    "treasury equals top-ups less draw-downs and the money of closed positions",
    """
    SELECT c.id, coalesce(m.total, 0), coalesce(e.total, 0)
    FROM wallets_asset c
    LEFT JOIN (
        SELECT l.currency, sum(l.amount) AS total
        FROM (
            SELECT l.currency, l.account, l.amount
            FROM wallets_treasurymovement x
            CROSS JOIN LATERAL treasury_legs(
                x.kind, x.currency_id, x.amount, x.charge, x.bought_currency_id, x.bought_amount,
                x.closed_amount) l
            WHERE x.status = 'Approved'
            UNION ALL
            SELECT x.currency_id, l.account, l.amount
            FROM wallets_adjustingentry x
            CROSS JOIN LATERAL adjusting_legs(x.account, x.direction, x.amount) l
            WHERE x.status = 'Approved'
        ) l
        WHERE l.account = 'treasury'
        GROUP BY l.currency
    ) m ON m.currency = c.id
    LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
               FROM wallets_entry x JOIN wallets_account a ON a.id = x.account_id
               WHERE a.kind = 'treasury' GROUP BY x.asset_id) e ON e.asset_id = c.id
    WHERE coalesce(m.total, 0) <> coalesce(e.total, 0)
    """,
)
