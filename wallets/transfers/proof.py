"""Ledger integrity checks of transfers between wallets."""

from wallets.ledger.checkpoint import about_recent
from wallets.ledger.proof import document_check, sql_check, transfer_check
from wallets.transfers import payloads

_RECORDS = {"wallets_wallettransfer": about_recent("wallets_wallettransfer")}

# What repays a debt of the payee counts as paid into the wallet.
MOVED = transfer_check(
    "every transfer between wallets moved its amount once, and nothing else moved as one",
    "wallet_transfer",
    """
    SELECT x.id, 'transfer:' || x.id AS subject, l.account, x.currency_id AS asset_id, l.amount
    FROM wallets_wallettransfer x
    CROSS JOIN LATERAL (VALUES
        ('wallet of ' || x.payer_id, -x.amount), ('wallet of ' || x.payee_id, x.amount)
    ) l (account, amount)
    """,
    account="""
        CASE WHEN a.kind = 'available' OR a.kind = 'receivable' AND e.amount > 0
             THEN 'wallet' ELSE a.kind END || coalesce(' of ' || a.owner_id, '')
    """,
    recent=_RECORDS,
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
