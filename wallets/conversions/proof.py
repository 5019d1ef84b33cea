"""Ledger integrity checks of conversions."""

from wallets.conversions import payloads
from wallets.ledger.checkpoint import (
    CHECKPOINT_AND_RECENT_ENTRIES,
    TRANSFERS_OF_RECENT_SUBJECTS,
    about_recent,
)
from wallets.ledger.proof import document_check, sql_check

_RECORDS = {"wallets_conversion": about_recent("wallets_conversion")}

MOVED = sql_check(
    "every conversion moved its amounts once, and nothing else moved as one",
    """
    SELECT coalesce('conversion:' || c.id, f.reference), coalesce(c.wanted, 'none'),
           coalesce(f.found, 'none')
    FROM (
        SELECT x.id, '1 transfer: ' || string_agg(
                   l.account || ' ' || trim_scale(l.amount) || ' ' || l.currency, ', '
                   ORDER BY l.account, l.currency) AS wanted
        FROM wallets_conversion x
        CROSS JOIN LATERAL (VALUES
            ('available of ' || x.owner_id, x.from_currency_id, -x.amount),
            ('position', x.from_currency_id, x.amount),
            ('position', x.to_currency_id, -(x.converted_amount + x.fee)),
            ('available of ' || x.owner_id, x.to_currency_id, x.converted_amount),
            ('fees', x.to_currency_id, x.fee)
        ) l (account, currency, amount)
        WHERE l.amount <> 0
        GROUP BY x.id
    ) c
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
            WHERE t.kind = 'conversion'
            GROUP BY t.subject_id, about, a.kind, a.owner_id, e.asset_id
        ) legs GROUP BY subject_id, about
    ) f ON f.subject_id = c.id
    WHERE c.wanted IS DISTINCT FROM f.found
    """,
    recent={**_RECORDS, "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS},
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
