"""Proof of books: deposits."""

from wallets.deposits import payloads
from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import balance_check, document_check, sql_check, transfer_check

_DEPOSITS = {"wallets_deposit": about_recent("wallets_deposit")}

BOOKED = transfer_check(
    "every completed deposit was booked once, to its owner, and nothing else as a deposit",
    "deposit",
    """
    SELECT id, reference AS subject, owner_id::text AS account, currency_id AS asset_id,
           amount - fee AS amount
    FROM wallets_deposit WHERE status IN ('Completed', 'Reversed')
    """,
    account="a.owner_id::text",
    only="a.owner_id IS NOT NULL",
    recent=_DEPOSITS,
)

UNCLEARED = balance_check(
    "uncleared money equals the deposits that rest, and what disputes hold",
    "uncleared",
    """
    SELECT owner_id, currency_id AS asset_id, sum(total) AS amount FROM (
        SELECT owner_id, currency_id, amount - fee - reversed_amount AS total
        FROM wallets_deposit
        WHERE status = 'Completed' AND available_at IS NOT NULL AND cleared_at IS NULL
        UNION ALL
        SELECT b.owner_id, b.currency_id, r.held
        FROM wallets_depositreversal r JOIN wallets_deposit b ON b.id = r.deposit_id
        WHERE r.status = 'Pending' AND r.held IS NOT NULL
    ) rests GROUP BY owner_id, currency_id
    """,
    recent={},
)

TAKEN_BACK = sql_check(
    "every deposit was taken back as people decided",
    """
    SELECT d.reference, trim_scale(d.decided),
           trim_scale(d.taken) || ' on record, ' || trim_scale(coalesce(f.taken, 0)) || ' moved'
    FROM (
        SELECT b.id, b.reference, coalesce(r.decided, 0) AS decided,
               CASE b.status WHEN 'Reversed' THEN b.amount - b.fee ELSE b.reversed_amount END
               AS taken
        FROM wallets_deposit b
        LEFT JOIN (
            SELECT x.deposit_id, sum(coalesce(x.amount, y.amount - y.fee)) AS decided
            FROM wallets_depositreversal x JOIN wallets_deposit y ON y.id = x.deposit_id
            WHERE x.status = 'Approved' GROUP BY x.deposit_id
        ) r ON r.deposit_id = b.id
    ) d
    LEFT JOIN (
        SELECT t.subject_id, sum(e.amount) AS taken
        FROM wallets_transfer t
        JOIN wallets_entry e ON e.transfer_id = t.id
        JOIN wallets_account a ON a.id = e.account_id AND a.kind = 'clearing'
        WHERE t.kind = 'deposit_reverse' GROUP BY t.subject_id
    ) f ON f.subject_id = d.id
    WHERE d.taken <> d.decided OR d.taken <> coalesce(f.taken, 0)
    """,
    recent={**_DEPOSITS, "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS},
)

UNMATCHED = sql_check(
    "money without an owner equals the unmatched payments",
    """
    SELECT c.id, coalesce(p.total, 0), coalesce(e.total, 0)
    FROM wallets_asset c
    LEFT JOIN (SELECT currency_code, sum(amount) AS total FROM wallets_payment
               WHERE status IN ('Unmatched', 'Refunding') AND booked_fee IS NOT NULL
               GROUP BY currency_code) p
        ON p.currency_code = c.id
    LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
               FROM wallets_entry x JOIN wallets_account a ON a.id = x.account_id
               WHERE a.kind = 'unmatched' GROUP BY x.asset_id) e ON e.asset_id = c.id
    WHERE coalesce(p.total, 0) <> coalesce(e.total, 0)
    """,
)

PAID = sql_check(
    "every deposit by a payment has the amount of one payment of its own",
    """
    SELECT coalesce(d.reference, p.transaction_id::text),
           CASE WHEN p.id IS NULL THEN 'a payment'
                WHEN d.id IS NULL THEN 'a deposit'
                ELSE trim_scale(p.amount) || ' ' || p.currency_code END,
           CASE WHEN d.id IS NULL OR p.id IS NULL THEN 'none'
                ELSE trim_scale(d.amount) || ' ' || d.currency_id END
    FROM (SELECT id, reference, amount, currency_id FROM wallets_deposit
          WHERE channel <> 'manual' AND status IN ('Completed', 'Reversed')) d
    FULL JOIN (SELECT id, transaction_id, deposit_id, amount, currency_code
               FROM wallets_payment WHERE status = 'Credited') p ON p.deposit_id = d.id
    WHERE (d.amount, d.currency_id) IS DISTINCT FROM (p.amount, p.currency_code)
    """,
    recent={
        **_DEPOSITS,
        "wallets_payment": "SELECT * FROM public.wallets_payment WHERE deposit_id IN"
        " (SELECT subject_id FROM recent_transfer)",
    },
)

DOCUMENTS = document_check(
    "documents of deposits equal their records",
    payloads.DEPOSIT,
    payloads.VIRTUAL_ACCOUNT,
    recent=_DEPOSITS,
)
