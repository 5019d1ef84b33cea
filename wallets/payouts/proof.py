"""Ledger integrity checks of payouts, and of accounts that several subjects move."""

from wallets.ledger.proof import sql_check

CLEARING = sql_check(
    "clearing equals deposits and treasury movements less payouts less the provider's charges",
    """
    SELECT c.id, coalesce(i.total, 0) - coalesce(o.total, 0), -coalesce(e.total, 0)
    FROM wallets_asset c
    LEFT JOIN (
        SELECT currency_id, sum(total) AS total FROM (
            -- The provider keeps its charge, whoever bears it, of a reversed deposit too.
            SELECT currency_id, CASE status WHEN 'Reversed' THEN fee
                                            ELSE amount - reversed_amount END - provider_fee
                AS total
            FROM wallets_deposit WHERE status IN ('Completed', 'Reversed')
            UNION ALL
            SELECT currency_code, -booked_fee
                + CASE WHEN status IN ('Unmatched', 'Refunding') THEN amount ELSE 0 END
            FROM wallets_payment WHERE booked_fee IS NOT NULL
            UNION ALL
            SELECT l.currency, -l.amount
            FROM wallets_treasurymovement x
            CROSS JOIN LATERAL treasury_legs(
                x.kind, x.currency_id, x.amount, x.charge, x.bought_currency_id, x.bought_amount,
                x.closed_amount) l
            WHERE x.status = 'Approved' AND l.account = 'clearing'
            UNION ALL
            SELECT x.currency_id, -l.amount
            FROM wallets_adjustingentry x
            CROSS JOIN LATERAL adjusting_legs(x.account, x.direction, x.amount) l
            WHERE x.status = 'Approved' AND l.account = 'clearing'
        ) parts GROUP BY currency_id
    ) i ON i.currency_id = c.id
    LEFT JOIN (SELECT w.currency_id,
                      sum(CASE WHEN w.status = 'Completed' THEN w.disburse_amount ELSE 0 END
                          + coalesce(p.provider_fee, 0)) AS total
               FROM wallets_withdrawal w JOIN wallets_payout p ON p.withdrawal_id = w.id
               WHERE w.status IN ('Completed', 'Reversed')
               GROUP BY w.currency_id) o ON o.currency_id = c.id
    LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
               FROM wallets_entry x JOIN wallets_account a ON a.id = x.account_id
               WHERE a.kind = 'clearing' GROUP BY x.asset_id) e ON e.asset_id = c.id
    WHERE c.currency_id IS NOT NULL
      AND coalesce(i.total, 0) - coalesce(o.total, 0) <> -coalesce(e.total, 0)
    """,
)

FEE_INCOME = sql_check(
    "fee income equals the fees of paid withdrawals",
    """
    SELECT c.id, coalesce(w.total, 0), coalesce(e.total, 0)
    FROM wallets_asset c
    LEFT JOIN (SELECT currency_id, sum(fee) AS total FROM wallets_withdrawal
               WHERE status IN ('Completed', 'Reversed') GROUP BY currency_id) w
        ON w.currency_id = c.id
    LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
               FROM wallets_entry x
               JOIN wallets_account a ON a.id = x.account_id
               JOIN wallets_transfer t ON t.id = x.transfer_id
               WHERE a.kind = 'fees' AND t.kind = 'withdrawal_settle'
               GROUP BY x.asset_id) e ON e.asset_id = c.id
    WHERE coalesce(w.total, 0) <> coalesce(e.total, 0)
    """,
)

NEXT_STEPS = sql_check(
    "every payout in flight has a next step and no stale lease",
    """
    SELECT w.reference, 'a next step',
           CASE WHEN p.withdrawal_id IS NULL THEN 'no payout'
                WHEN p.next_step_at IS NULL THEN 'none'
                ELSE 'a lease that expired at ' || wire_time(p.leased_until) END
    FROM wallets_withdrawal w LEFT JOIN wallets_payout p ON p.withdrawal_id = w.id
    WHERE w.status IN ('Approved', 'Processing', 'Unknown')
      AND (p.next_step_at IS NULL OR p.leased_until < now() - interval '1 day')
    """,
    recent={},
)

POSITIONS = sql_check(
    "positions equal conversions less treasury movements, and fee income their spreads",
    """
    SELECT coalesce(c.currency, e.asset_id) || ' ' || coalesce(c.kind, e.kind),
           coalesce(c.total, 0), coalesce(e.total, 0)
    FROM (
        SELECT l.currency, l.kind, sum(l.amount) AS total
        FROM (
            SELECT v.currency, v.kind, v.amount
            FROM wallets_conversion x
            CROSS JOIN LATERAL (VALUES
                (x.from_currency_id, 'position', x.amount),
                (x.to_currency_id, 'position', -(x.converted_amount + x.fee)),
                (x.to_currency_id, 'fees', x.fee)
            ) v (currency, kind, amount)
            UNION ALL
            SELECT v.currency, v.account, v.amount
            FROM wallets_treasurymovement m
            CROSS JOIN LATERAL treasury_legs(
                m.kind, m.currency_id, m.amount, m.charge, m.bought_currency_id, m.bought_amount,
                m.closed_amount) v
            WHERE m.status = 'Approved' AND v.account = 'position'
        ) l
        GROUP BY l.currency, l.kind
    ) c
    FULL JOIN (
        SELECT x.asset_id, a.kind, sum(x.amount) AS total
        FROM wallets_entry x
        JOIN wallets_account a ON a.id = x.account_id
        JOIN wallets_transfer t ON t.id = x.transfer_id
        WHERE a.kind = 'position'
            OR a.kind = 'fees' AND t.kind = 'conversion'
        GROUP BY x.asset_id, a.kind
    ) e ON e.asset_id = c.currency AND e.kind = c.kind
    WHERE coalesce(c.total, 0) <> coalesce(e.total, 0)
    """,
)
