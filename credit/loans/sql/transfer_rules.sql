-- Justification of transfers of loans (see wallets/ledger/sql/transfer_rules.sql).

SELECT set_transfer_rule('loan_disburse', '{available,loans}', '{available,principal,lien}',
    'loan:{id}:disburse', 'credit_loan', '{}', false, 'public.loan_transfer_justified(NEW)');
SELECT set_transfer_rule('loan_repay', '{available,principal,loans,lien}',
    '{available,interest,loans}', 'loan:{id}:repay:%', 'credit_loan', '{}', true,
    'public.loan_transfer_justified(NEW)');
SELECT set_transfer_rule('loan_pledge', '{available}', '{lien}', 'loan:{id}:loan_pledge:%',
    'credit_loan', '{}', true, 'public.loan_transfer_justified(NEW)');
SELECT set_transfer_rule('loan_release', '{lien}', '{available}', 'loan:{id}:loan_release:%',
    'credit_loan', '{}', true, 'public.loan_transfer_justified(NEW)');
SELECT set_transfer_rule('loan_liquidate', '{principal,lien}', '{loans,available}',
    'loan:{id}:end%', 'credit_loan', '{LIQUIDATED}', true, 'public.loan_transfer_justified(NEW)');
SELECT set_transfer_rule('loan_write_off', '{principal,lien}', '{loans,available}',
    'loan:{id}:end', 'credit_loan', '{WRITTEN_OFF}', true, 'public.loan_transfer_justified(NEW)');

-- Whether the amount of a money leg matches the loan, its repayment or its closure.
CREATE FUNCTION loan_money_fits(t wallets_transfer, l credit_loan, e transfer_leg)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
    p record;
BEGIN
    IF t.kind = 'loan_repay' THEN
        SELECT x.principal, x.interest, x.paid_from INTO p FROM public.credit_repayment x
            WHERE x.loan_id = l.id AND t.reference = 'loan:' || l.id || ':repay:' || x.id;
        -- The borrower's legs pay the others: from the wallet or the cash collateral, and the rest of
        -- that comes back with the last repayment.
        IF e.owner_id = l.borrower_id THEN
            RETURN CASE e.kind
                WHEN 'available' THEN CASE WHEN l.status = 'COMPLETED'
                    THEN e.amount >= - p.principal - p.interest
                    ELSE p.paid_from = 'wallet' AND e.amount = - p.principal - p.interest END
                WHEN 'lien' THEN (p.paid_from = 'cash_collateral' OR l.status = 'COMPLETED')
                    AND e.balance = public.cash_collateral(l.borrower_id, l.currency_id) END;
        END IF;
        RETURN e.amount = CASE e.kind
            WHEN 'available' THEN CASE e.owner_id WHEN l.creditor_id THEN p.principal + p.interest END
            WHEN 'principal' THEN CASE e.owner_id WHEN l.creditor_id THEN - p.principal END
            WHEN 'interest' THEN CASE e.owner_id WHEN l.creditor_id THEN p.interest END
            WHEN 'loans' THEN p.principal - p.interest END;
    END IF;
    -- Only the closure itself moves money; a liquidation of units that it left, none.
    IF t.reference LIKE 'loan:%:end:%' THEN
        RETURN false;
    END IF;
    -- The borrower's cash collateral is released, or passed to the creditor by a liquidation.
    IF e.owner_id = l.borrower_id AND t.kind IN ('loan_release', 'loan_liquidate', 'loan_write_off') THEN
        RETURN e.kind = 'available' AND e.amount > 0
            OR e.kind = 'lien' AND e.balance = public.cash_collateral(l.borrower_id, l.currency_id);
    END IF;
    -- Closure: the principal that was not repaid.
    RETURN t.kind IN ('loan_liquidate', 'loan_write_off')
        AND e.amount = CASE e.kind
            WHEN 'principal' THEN CASE e.owner_id
                WHEN l.creditor_id THEN l.principal_repaid - l.amount END
            WHEN 'available' THEN (
                SELECT x.final_cash FROM public.credit_closureproposal x
                WHERE x.loan_id = l.id AND x.status = 'Approved' AND e.owner_id = l.creditor_id)
            WHEN 'loans' THEN l.amount - l.principal_repaid END;
END $$;

-- The reference of the transfer of a closure: one proposed since the loan is closed liquidates units that
-- its closure left in lien.
CREATE FUNCTION closure_reference(p credit_closureproposal, l credit_loan) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT 'loan:' || l.id || ':end' || CASE WHEN p.created_at > l.closed_at THEN ':' || p.id ELSE '' END
$$;

-- Whether a units leg concerns collateral of the loan, and stays between the borrower's accounts or,
-- in a liquidation, transfers the confirmed units to the creditor.
CREATE FUNCTION loan_units_fit(t wallets_transfer, l credit_loan, e transfer_leg)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
            SELECT FROM public.credit_collateral c
            JOIN public.exchange_token k ON k.id = c.token_id
            WHERE c.loan_id = l.id AND c.token_id::text = e.asset_id
                -- Cancelling a raise takes units back, so none is liened before it completes.
                AND (k.completed_raise OR e.kind <> 'lien' OR e.amount < 0))
        AND CASE WHEN e.owner_id = l.borrower_id
            -- The lien balance equals the collateral of open loans, and what liquidations left there.
            THEN e.kind <> 'lien' OR e.balance = public.pledged_units(l.borrower_id, e.asset_id)
            ELSE t.kind = 'loan_liquidate' AND e.kind = 'available'
                AND e.owner_id = l.creditor_id AND e.amount = (
                    SELECT (f ->> 'passed')::numeric
                    FROM public.credit_closureproposal p, jsonb_array_elements(p.final_plan) f
                    WHERE p.loan_id = l.id AND p.status = 'Approved' AND p.action = 'liquidate'
                        AND t.reference = public.closure_reference(p, l) AND f ->> 'token_id' = e.asset_id)
            END;
END $$;

CREATE FUNCTION loan_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF posted.kind = 'loan_disburse' THEN
        -- The most common kind, in one query: the amount to the borrower and the creditor's principal
        -- account, and each item of collateral from the borrower's available to lien account.
        RETURN (
            SELECT bool_and((
                    e.fits
                    AND e.amount = CASE
                        WHEN e.asset_id <> l.currency_id THEN
                            CASE WHEN k.completed_raise AND e.owner_id = l.borrower_id
                                THEN CASE e.kind WHEN 'available' THEN - c.quantity
                                                 WHEN 'lien' THEN c.quantity END END
                        WHEN e.kind = 'loans' THEN - l.amount
                        WHEN e.kind = 'principal' AND e.owner_id = l.creditor_id THEN l.amount
                        WHEN e.kind = 'available' AND e.owner_id = l.creditor_id THEN - l.amount
                        WHEN e.kind = 'available' AND e.owner_id = l.borrower_id THEN l.amount
                        END) IS TRUE)
                FROM public.credit_loan l
                CROSS JOIN public.transfer_legs(posted, l.status) e
                LEFT JOIN public.credit_collateral c
                    ON c.loan_id = l.id AND c.token_id::text = e.asset_id
                LEFT JOIN public.exchange_token k ON k.id = c.token_id
                WHERE l.id = posted.subject_id);
    END IF;
    RETURN (
        SELECT bool_and((
                e.fits
                AND CASE WHEN e.asset_id = l.currency_id
                    THEN public.loan_money_fits(posted, l, e)
                    ELSE public.loan_units_fit(posted, l, e) END) IS TRUE)
            FROM public.credit_loan l, public.transfer_legs(posted, l.status) e
            WHERE l.id = posted.subject_id);
END $$;
