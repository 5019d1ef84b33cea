"""Ledger integrity check of adjusting entries."""

from wallets.ledger.checkpoint import about_recent
from wallets.ledger.proof import transfer_check

MOVED = transfer_check(
    "every confirmed adjusting entry moved its amount once, and nothing else moved as one",
    "adjustment",
    """
    SELECT x.id, 'adjustment:' || x.id AS subject, l.account, x.currency_id AS asset_id, l.amount
    FROM wallets_adjustingentry x
    CROSS JOIN LATERAL adjusting_legs(x.account, x.direction, x.amount) l
    WHERE x.status = 'Approved'
    """,
    recent={"wallets_adjustingentry": about_recent("wallets_adjustingentry")},
)
