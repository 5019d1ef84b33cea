"""Ledger integrity checks of conversions."""

from wallets.conversions import payloads
from wallets.ledger.checkpoint import (
    CHECKPOINT_AND_RECENT_ENTRIES,
    about_recent,
)
from wallets.ledger.proof import document_check, sql_check, transfer_check

_RECORDS = {"wallets_conversion": about_recent("wallets_conversion")}

MOVED = transfer_check(
    "every conversion moved its amounts once, and nothing else moved as one",
    "conversion",
    """
    SELECT x.id, 'conversion:' || x.id AS subject, l.account, l.asset_id, l.amount
    FROM wallets_conversion x
    CROSS JOIN LATERAL (VALUES
        ('available of ' || x.owner_id, x.from_currency_id, -x.amount),
        ('position', x.from_currency_id, x.amount),
        ('position', x.to_currency_id, -(x.converted_amount + x.fee)),
        ('available of ' || x.owner_id, x.to_currency_id, x.converted_amount),
        ('fees', x.to_currency_id, x.fee)
    ) l (account, asset_id, amount)
    """,
    recent=_RECORDS,
)

KEPT_POSITIONS = sql_check(
    "the position kept for limits equals the entries of its account",
    """
    SELECT coalesce(p.currency_id, e.asset_id), coalesce(e.total, 0), coalesce(p.amount, 0)
    FROM wallets_conversionposition p
    FULL JOIN (
        SELECT x.asset_id, sum(x.amount) AS total
        FROM wallets_entry x JOIN wallets_account a ON a.id = x.account_id
        WHERE a.kind = 'position' GROUP BY x.asset_id
    ) e ON e.asset_id = p.currency_id
    WHERE coalesce(p.amount, 0) <> coalesce(e.total, 0)
    """,
    recent={"wallets_entry": CHECKPOINT_AND_RECENT_ENTRIES},
)

EVENTS = sql_check(
    "every conversion has its event",
    """
    SELECT 'conversion:' || c.id, 'conversion.completed', 'no such event'
    FROM wallets_conversion c
    WHERE c.id >= (SELECT events_complete_since()) AND NOT EXISTS (
        SELECT FROM exchange_event e
        WHERE e.subject_id = c.id AND e.type = 'conversion.completed')
    """,
    recent=_RECORDS,
)

DOCUMENTS = document_check(
    "documents of conversions equal their records", payloads.CONVERSION, recent=_RECORDS
)
