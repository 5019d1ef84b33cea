-- Justification of transfers of withdrawals (see ledger/sql/transfer_rules.sql).

SELECT set_transfer_rule('withdrawal_hold', '{available}', '{escrow}', 'withdrawal:{id}:hold',
    'wallets_withdrawal', '{}', false, 'public.withdrawal_hold_justified(NEW)');
SELECT set_transfer_rule('withdrawal_settle', '{escrow}', '{clearing,fees}',
    'withdrawal:{id}:close', 'wallets_withdrawal', '{Completed,Reversed}', true,
    'public.withdrawal_transfer_justified(NEW)');
SELECT set_transfer_rule('withdrawal_release', '{escrow}', '{available}',
    'withdrawal:{id}:close', 'wallets_withdrawal', '{Rejected,Cancelled,Failed}', true,
    'public.withdrawal_transfer_justified(NEW)');
SELECT set_transfer_rule('provider_charge', '{expenses}', '{clearing}', 'withdrawal:{id}:charge',
    'wallets_withdrawal', '{Completed,Reversed}', true,
    'public.withdrawal_transfer_justified(NEW)');

-- The most frequent kind, so its rule is written out.
CREATE FUNCTION withdrawal_hold_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((
                posted.reference = 'withdrawal:' || w.id || ':hold'
                AND e.asset_id = w.currency_id
                AND a.owner_id = w.owner_id
                AND e.amount = CASE a.kind WHEN 'available' THEN - w.amount
                                           WHEN 'escrow' THEN w.amount END) IS TRUE)
        FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
              WHERE transfer_id = posted.id OFFSET 0) e
        JOIN public.wallets_account a ON a.id = e.account_id
        JOIN public.wallets_withdrawal w ON w.id = posted.subject_id);
END $$;

CREATE FUNCTION withdrawal_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((
                e.fits
                AND e.asset_id = w.currency_id
                AND (e.owner_id = w.owner_id OR e.owner_id IS NULL)
                AND abs(e.amount) = CASE
                    WHEN posted.kind = 'provider_charge' THEN (
                        SELECT p.provider_fee FROM public.wallets_payout p
                        WHERE p.withdrawal_id = w.id)
                    WHEN e.kind = 'fees' THEN w.fee
                    WHEN posted.kind = 'withdrawal_reverse' OR e.kind = 'clearing'
                        THEN w.disburse_amount
                    ELSE w.amount END) IS TRUE)
        FROM public.wallets_withdrawal w, public.transfer_legs(posted, w.status) e
        WHERE w.id = posted.subject_id);
END $$;
