SELECT set_transfer_rule('receivable_repay', '{available}', '{receivable}',
    'receivable:{id}:%', 'wallets_account', '{}', true, 'public.repayment_justified(NEW)');

-- Whether a debt justifies a transfer: from its owner's available balance to it.
CREATE FUNCTION repayment_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((e.fits AND e.asset_id = a.asset_id AND e.owner_id = a.owner_id) IS TRUE)
        FROM public.wallets_account a, public.transfer_legs(posted, '') e
        WHERE a.id = posted.subject_id AND a.kind = 'receivable');
END $$;
