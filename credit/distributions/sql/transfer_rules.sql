-- Justification of transfers of distributions (see wallets/ledger/sql/transfer_rules.sql). A payment needs
-- the income that a record stored, which the service's login cannot write.
SELECT set_transfer_rule('distribution_fund', '{available}', '{payable}', 'distribution:{id}:fund',
    'credit_distribution', '{Funded,Paying,Paid}', true, 'public.distribution_transfer_justified(NEW)');
SELECT set_transfer_rule('distribution_refund', '{payable}', '{available}', 'distribution:{id}:refund',
    'credit_distribution', '{Cancelled}', true, 'public.distribution_transfer_justified(NEW)');
SELECT set_transfer_rule('distribution_pay', '{payable,available,lien}',
    '{available,receivable,tax,lien,issuance}', 'income:{id}',
    'credit_income', '{Paid,Corrected}', true, 'public.distribution_transfer_justified(NEW)');

CREATE FUNCTION distribution_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_justified boolean;
BEGIN
    IF posted.kind = 'distribution_pay' THEN
        SELECT bool_and((
                e.fits
                AND CASE
                         -- A final one takes the units back, in the same transfer; no other one does, see below.
                         WHEN e.asset_id = d.token_id::text THEN CASE e.kind
                             WHEN 'issuance' THEN e.amount = i.units
                             ELSE e.amount = - i.units AND e.owner_id = i.owner_id
                                 AND e.kind = CASE i.paid_to WHEN 'loan' THEN 'lien' ELSE 'available' END
                                 AND (e.kind <> 'lien'
                                     OR e.balance = public.pledged_units(i.member_id, e.asset_id)) END
                         WHEN e.asset_id <> d.currency_id THEN false
                         WHEN e.amount < 0 THEN e.kind = 'payable' AND e.amount = - i.gross
                         WHEN e.kind = 'tax' THEN true
                         -- A claim is paid first, and its owner receives the rest.
                         WHEN e.owner_id = l.creditor_id AND i.to_creditor > 0 THEN e.kind = 'available'
                         ELSE e.owner_id = i.owner_id AND CASE
                             WHEN i.paid_to = 'loan' AND i.to_creditor = 0 THEN e.kind = 'lien'
                                 AND e.balance = public.cash_collateral(i.member_id, d.currency_id)
                             ELSE e.kind <> 'lien' AND (i.to_creditor = 0 OR l.claim = 0) END END) IS TRUE)
                AND coalesce(sum(e.amount) FILTER (
                    WHERE e.owner_id = l.creditor_id AND i.to_creditor > 0), 0) = min(i.to_creditor)
                AND bool_and(i.to_creditor = 0 OR l.claim = public.claim_of(l))
                -- All of the tax, and with it no more than the net to the owner.
                AND coalesce(sum(e.amount) FILTER (WHERE e.kind = 'tax'), 0) = min(i.tax)
                AND bool_or(e.kind = 'issuance') = bool_and(d.final)
            INTO v_justified
            FROM public.credit_income i
            JOIN public.credit_distribution d ON d.id = i.distribution_id
            LEFT JOIN public.credit_loan l ON l.id = i.loan_id,
                 public.transfer_legs(
                     posted, CASE WHEN d.status IN ('Paying', 'Paid') THEN i.status END) e
            WHERE i.id = posted.subject_id;
    ELSE
        -- Funded, and what was funded given back: all of it, by and to the issuer.
        SELECT bool_and((
                e.fits
                AND e.asset_id = d.currency_id
                AND abs(e.amount) = d.gross
                AND (e.owner_id IS NULL OR e.owner_id = t.issuer_id)
                AND (posted.kind = 'distribution_fund'
                     OR public.distribution_moved(d.id, 'fund'))) IS TRUE)
            INTO v_justified
            FROM public.credit_distribution d
            JOIN public.exchange_token t ON t.id = d.token_id,
                 public.transfer_legs(posted, d.status) e
            WHERE d.id = posted.subject_id;
    END IF;
    RETURN v_justified;
END $$;
