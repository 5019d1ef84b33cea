"""Ledger integrity checks of withdrawals."""

from wallets.banks.payloads import BANK
from wallets.ledger.proof import balance_check, document_check, sql_check
from wallets.withdrawals import payloads
from wallets.withdrawals.models import OPEN_STATUSES

_OPEN = ", ".join(f"'{status}'" for status in OPEN_STATUSES)
# Open ones too: they may have changed without a transfer.
_RECENT = {
    "wallets_withdrawal": f"""
        SELECT * FROM public.wallets_withdrawal WHERE id IN (
            SELECT subject_id FROM recent_transfer
            UNION ALL
            SELECT id FROM public.wallets_withdrawal
            WHERE status IN ({_OPEN}))
    """  # noqa: S608 - a constant
}

ESCROW = balance_check(
    "escrow equals open withdrawals",
    "escrow",
    f"""
    SELECT owner_id, currency_id AS asset_id, sum(amount) AS amount FROM wallets_withdrawal
    WHERE status IN ({_OPEN})
    GROUP BY owner_id, currency_id
    """,  # noqa: S608 - a constant
    recent={},
)

TRANSFERS = sql_check(
    "every withdrawal has the transfers of its status",
    f"""
    SELECT w.reference, x.wanted, array_to_string(x.found, ', ') FROM (
        SELECT w.id,
               CASE WHEN w.status IN ({_OPEN})
                        THEN 'withdrawal_hold'
                    WHEN w.status = 'Completed' THEN 'withdrawal_hold, withdrawal_settle'
                    WHEN w.status = 'Reversed'
                        THEN 'withdrawal_hold, withdrawal_reverse, withdrawal_settle'
                    ELSE 'withdrawal_hold, withdrawal_release' END AS wanted,
               ARRAY(SELECT t.kind::text FROM wallets_transfer t
                     WHERE t.subject_id = w.id AND t.kind <> 'provider_charge'
                     ORDER BY t.kind::text) AS found
        FROM wallets_withdrawal w
    ) x JOIN wallets_withdrawal w ON w.id = x.id
    WHERE x.wanted <> array_to_string(x.found, ', ')
    """,  # noqa: S608 - a constant
    recent=_RECENT,
)

AMOUNTS_MOVED = sql_check(
    "every transfer of a withdrawal matches its amounts",
    """
    SELECT w.reference || ' ' || t.kind, coalesce(wanted.legs, 'none'),
           coalesce(found.legs, 'none')
    FROM wallets_withdrawal w
    JOIN wallets_transfer t ON t.subject_id = w.id
    LEFT JOIN wallets_payout p ON p.withdrawal_id = w.id
    CROSS JOIN LATERAL (
        SELECT string_agg(account || ' ' || trim_scale(amount), ', ' ORDER BY account) AS legs
        FROM (VALUES
            ('withdrawal_hold', 'available', -w.amount),
            ('withdrawal_hold', 'escrow', w.amount),
            ('withdrawal_settle', 'escrow', -w.amount),
            ('withdrawal_settle', 'clearing', w.disburse_amount),
            ('withdrawal_settle', 'fees', w.fee),
            ('withdrawal_release', 'escrow', -w.amount),
            ('withdrawal_release', 'available', w.amount),
            ('withdrawal_reverse', 'clearing', -w.disburse_amount),
            ('withdrawal_reverse', 'available', w.disburse_amount),
            ('provider_charge', 'expenses', -p.provider_fee),
            ('provider_charge', 'clearing', p.provider_fee)
        ) l (kind, account, amount)
        WHERE l.kind = t.kind AND l.amount <> 0
    ) wanted
    CROSS JOIN LATERAL (
        SELECT string_agg(account || ' ' || trim_scale(amount), ', ' ORDER BY account) AS legs
        FROM (
            SELECT a.kind || CASE WHEN a.owner_id <> w.owner_id THEN ' of ' || a.owner_id
                                  ELSE '' END
                   || CASE WHEN e.asset_id <> w.currency_id THEN ' in ' || e.asset_id
                           ELSE '' END AS account,
                   sum(e.amount) AS amount
            FROM wallets_entry e JOIN wallets_account a ON a.id = e.account_id
            WHERE e.transfer_id = t.id
            GROUP BY 1
        ) l
    ) found
    WHERE wanted.legs IS DISTINCT FROM found.legs
    """,
    recent=_RECENT,
)

EVENTS = sql_check(
    "every status of a withdrawal has its event",
    """
    SELECT w.reference, k.type, 'no such event'
    FROM wallets_withdrawal w
    CROSS JOIN LATERAL (VALUES
        ('withdrawal.created', true),
        ('withdrawal.approved', w.status IN ('Approved', 'Processing', 'Unknown', 'Completed',
                                             'Failed', 'Reversed')),
        ('withdrawal.rejected', w.status = 'Rejected'),
        ('withdrawal.cancelled', w.status = 'Cancelled'),
        ('withdrawal.processing', w.status IN ('Processing', 'Unknown', 'Completed', 'Failed',
                                               'Reversed')),
        ('withdrawal.completed', w.status IN ('Completed', 'Reversed')),
        ('withdrawal.failed', w.status = 'Failed'),
        ('withdrawal.reversed', w.status = 'Reversed')
    ) k (type, due)
    WHERE k.due AND w.id >= (SELECT events_complete_since()) AND NOT EXISTS (
        SELECT FROM exchange_event e WHERE e.subject_id = w.id AND e.type = k.type)
    """,
    recent=_RECENT,
)

DOCUMENTS = document_check(
    "documents equal their records",
    payloads.WITHDRAWAL,
    BANK,
    recent={
        **_RECENT,
        "wallets_bankaccount": "SELECT * FROM public.wallets_bankaccount"
        " WHERE id IN (SELECT bank_id FROM wallets_withdrawal)",
    },
)
