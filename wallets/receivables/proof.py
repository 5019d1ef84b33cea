"""Ledger integrity checks of write-offs."""

from wallets.ledger.checkpoint import about_recent
from wallets.ledger.proof import transfer_check

WRITTEN_OFF = transfer_check(
    "every confirmed write-off was booked once, to its debt, and nothing else as one",
    "receivable_write_off",
    """
    SELECT x.id, 'write_off:' || x.id AS subject, a.id::text AS account, a.asset_id, x.amount
    FROM wallets_receivablewriteoff x JOIN wallets_account a ON a.id = x.account_id
    WHERE x.status = 'Approved'
    """,
    account="a.id::text",
    only="a.owner_id IS NOT NULL",
    recent={"wallets_receivablewriteoff": about_recent("wallets_receivablewriteoff")},
)
