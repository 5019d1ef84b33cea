-- Guards of transfers between wallets.
SELECT make_append_only('wallets_wallettransfer');
REVOKE INSERT ON wallets_wallettransfer FROM exchange_runtime;

SELECT set_transfer_rule('wallet_transfer', '{available}', '{available,receivable}',
    'transfer:{id}', 'wallets_wallettransfer', '{}', false, 'public.wallet_transfer_fits(NEW)');

-- Whether a record justifies a movement: its whole amount leaves the payer's available balance for the
-- payee's, or repays what the payee owes. The accounts hold both owners to the organisation. (The legs
-- balance, and no two are of one account, so the others make up the amount of the negative one.)
CREATE FUNCTION wallet_transfer_fits(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((
                posted.reference = 'transfer:' || w.id
                AND e.asset_id = w.currency_id
                AND a.organisation_id = w.organisation_id
                AND CASE WHEN e.amount < 0
                    THEN a.kind = 'available' AND a.owner_id = w.payer_id AND e.amount = - w.amount
                    ELSE a.kind IN ('available', 'receivable') AND a.owner_id = w.payee_id
                END) IS TRUE)
        FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
              WHERE transfer_id = posted.id OFFSET 0) e
        JOIN public.wallets_account a ON a.id = e.account_id
        JOIN public.wallets_wallettransfer w ON w.id = posted.subject_id);
END $$;
