-- Transfers of deposits and of payments without a known owner (see ledger/sql/transfer_rules.sql).

SELECT set_transfer_rule('deposit', '{clearing,unmatched}', '{available,uncleared,receivable}',
    'deposit:{id}', 'wallets_deposit', '{Completed,Reversed}', true,
    'public.deposit_transfer_justified(NEW)');
SELECT set_transfer_rule('deposit_clear', '{uncleared}', '{available,receivable}',
    'deposit:{id}:clear', 'wallets_deposit', '{Completed,Reversed}', true,
    'public.deposit_transfer_justified(NEW)');
SELECT set_transfer_rule('deposit_charge', '{expenses}', '{clearing}',
    'deposit:{id}:charge', 'wallets_deposit', '{Completed,Reversed}', true,
    'public.deposit_transfer_justified(NEW)');
SELECT set_transfer_rule('deposit_reverse', '{available,uncleared,receivable}', '{clearing}',
    'deposit:{id}:reverse%', 'wallets_deposit', '{Completed,Reversed}', true,
    'public.deposit_reversal_justified(NEW)');
SELECT set_transfer_rule('deposit_hold', '{available}', '{uncleared}',
    'deposit:{id}:hold:%', 'wallets_deposit', '{Completed,Reversed}', true,
    'public.deposit_reversal_justified(NEW)');
SELECT set_transfer_rule('deposit_release', '{uncleared}', '{available,receivable}',
    'deposit:{id}:release:%', 'wallets_deposit', '{Completed,Reversed}', true,
    'public.deposit_reversal_justified(NEW)');
SELECT set_transfer_rule('payment_unmatched', '{clearing,expenses}', '{unmatched}',
    'payment:{id}:unmatched', 'wallets_payment', '{Unmatched,Refunding,Credited,Refunded}', true,
    'public.deposit_transfer_justified(NEW)');
SELECT set_transfer_rule('payment_refund', '{unmatched}', '{clearing}',
    'payment:{id}:refund', 'wallets_payment', '{Refunded}', true,
    'public.deposit_transfer_justified(NEW)');

-- Whether a reversal justifies the transfer that holds, releases or takes back its amount.
CREATE FUNCTION deposit_reversal_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_justified boolean;
BEGIN
    SELECT bool_and((e.fits AND e.asset_id = d.currency_id
                AND (e.owner_id = d.owner_id OR e.owner_id IS NULL)) IS TRUE)
            AND sum(e.amount) = 0
            AND sum(e.amount) FILTER (WHERE e.amount > 0) = CASE posted.kind
                WHEN 'deposit_reverse' THEN r.amount
                ELSE r.held END
            -- All of it where the deposit rests, and else what was held.
            AND coalesce(sum(abs(e.amount)) FILTER (WHERE e.kind = 'uncleared'), 0) = CASE
                WHEN posted.kind = 'deposit_reverse' AND d.available_at IS NOT NULL
                    AND (d.cleared_at IS NULL OR d.cleared_at > r.decided_at)
                    THEN r.amount
                ELSE coalesce(r.held, 0) END
            AND (posted.kind <> 'deposit_reverse'
                 OR (d.status = 'Reversed' OR d.reversed_amount < d.amount - d.fee)
                 AND (CASE d.status WHEN 'Reversed' THEN d.amount - d.fee ELSE d.reversed_amount END) = (
                     SELECT sum(x.amount)
                     FROM public.wallets_depositreversal x
                     WHERE x.deposit_id = d.id AND x.status = 'Approved'))
            AND (d.channel = 'manual' OR EXISTS (
                SELECT FROM public.wallets_payment p
                WHERE p.deposit_id = d.id AND p.status = 'Credited' AND p.amount = d.amount
                  AND p.currency_code = d.currency_id))
        INTO v_justified
        FROM public.wallets_deposit d
        JOIN public.wallets_depositreversal r ON r.deposit_id = d.id
            AND (posted.kind = 'deposit_hold'
                 OR r.status = CASE posted.kind WHEN 'deposit_release' THEN 'Rejected'
                                                ELSE 'Approved' END)
            AND posted.reference = 'deposit:' || d.id || ':' || substr(posted.kind, 9) || ':' || r.id
        CROSS JOIN public.transfer_legs(posted, d.status) e
        WHERE d.id = posted.subject_id
        GROUP BY d.id, r.id;
    RETURN v_justified;
END $$;

-- Whether a deposit or a payment justifies a transfer.
CREATE FUNCTION deposit_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_justified boolean;
BEGIN
    IF posted.kind LIKE 'payment%' THEN
        SELECT bool_and((e.fits AND e.asset_id = p.currency_code
                AND abs(e.amount) = CASE
                    WHEN posted.kind = 'payment_refund' OR e.kind = 'unmatched' THEN p.amount
                    WHEN e.kind = 'expenses' THEN p.booked_fee
                    ELSE p.amount - p.booked_fee END) IS TRUE)
            INTO v_justified
            FROM public.wallets_payment p, public.transfer_legs(posted, p.status) e
            WHERE p.id = posted.subject_id
              AND (posted.kind = 'payment_unmatched' OR EXISTS (
                  SELECT FROM public.wallets_paymentresolution r
                  WHERE r.payment_id = p.id AND r.status = 'Approved' AND r.action = 'Refund'
                    AND r.decided_by_id <> r.proposed_by_id));
    ELSE
        -- The total is checked once; between an owner's own accounts it may be split.
        SELECT bool_and((
                e.fits AND e.asset_id = d.currency_id
                AND (e.owner_id = d.owner_id OR e.owner_id IS NULL)
                AND (e.kind <> 'unmatched' OR EXISTS (
                    SELECT FROM public.wallets_payment p
                    JOIN public.wallets_transfer t ON t.reference = 'payment:' || p.id || ':unmatched'
                    WHERE p.deposit_id = d.id))) IS TRUE)
            AND sum(e.amount) = 0 AND sum(e.amount) FILTER (WHERE e.amount > 0) = CASE posted.kind
                WHEN 'deposit_charge' THEN d.provider_fee - d.fee
                WHEN 'deposit_clear' THEN d.amount - d.fee - coalesce((
                    -- What had been taken back, or was disputed, is not part of it.
                    SELECT sum(r.amount) FROM public.wallets_depositreversal r
                    WHERE r.deposit_id = d.id AND r.created_at < d.cleared_at
                      AND CASE WHEN r.decided_at < d.cleared_at THEN r.status = 'Approved'
                               ELSE r.held IS NOT NULL END), 0)
                ELSE d.amount - d.fee END
            AND (posted.kind <> 'deposit_clear' OR d.cleared_at IS NOT NULL)
            AND (d.channel = 'manual' OR EXISTS (
                SELECT FROM public.wallets_payment p
                WHERE p.deposit_id = d.id AND p.status = 'Credited' AND p.amount = d.amount
                  AND p.currency_code = d.currency_id))
            INTO v_justified
            FROM public.wallets_deposit d, public.transfer_legs(posted, d.status) e
            WHERE d.id = posted.subject_id
            GROUP BY d.id;
    END IF;
    RETURN v_justified;
END $$;
