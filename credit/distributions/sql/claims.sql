-- Claims of creditors: what liquidations left unpaid, and what the units that they left in lien pay of it.

-- What is owed to the creditor after the liquidations of a loan, and what went to it since. None unless
-- units were left in lien.
CREATE FUNCTION claim_of(l credit_loan) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN bool_or(s.is_left)
        THEN l.repayment_amount - l.principal_repaid - l.interest_repaid - sum(p.final_value) - (
            SELECT coalesce(sum(i.to_creditor), 0) FROM public.credit_income i
            WHERE i.loan_id = l.id AND i.to_creditor > 0)
        ELSE 0 END
    FROM public.credit_closureproposal p
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or((f ->> 'left')::numeric > 0), false) AS is_left
        FROM jsonb_array_elements(p.final_plan) f) s
    WHERE p.loan_id = l.id AND p.status = 'Approved'
$$;

-- At commit, whoever changed it.
CREATE FUNCTION claim_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.credit_loan l
        WHERE l.id = NEW.id AND l.claim IS DISTINCT FROM public.claim_of(l))
    THEN
        RAISE EXCEPTION 'the claim on units of loan % is not what is left of it', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_claim_left';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER claim_guard AFTER UPDATE OF claim, status ON credit_loan
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.status = 'LIQUIDATED' AND (OLD.claim, OLD.status) IS DISTINCT FROM (NEW.claim, NEW.status))
    EXECUTE FUNCTION claim_guard();

-- Whether units that a liquidation would pass are still to pay to the loan: paid in by the issuer, or due
-- in time. Their prices do not include it.
CREATE FUNCTION income_awaited(p_loan uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM public.credit_income i
        JOIN public.credit_distribution d ON d.id = i.distribution_id
        JOIN public.exchange_token t ON t.id = d.token_id
        WHERE i.loan_id = p_loan AND i.status = 'Due' AND i.gross >= 0 AND d.to_collateral
            AND d.status <> 'Cancelled' AND NOT t.exited AND NOT t.units_held
            AND (d.status <> 'Recorded' OR NOT d.overdue AND d.corrects_id IS NULL))
$$;

CREATE FUNCTION closure_income_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF public.income_awaited(NEW.loan_id) THEN
        RAISE EXCEPTION 'payments of the collateral of loan % are still to come', NEW.loan_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'closure_after_income';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER closure_income_guard BEFORE INSERT OR UPDATE ON credit_closureproposal
    FOR EACH ROW WHEN (NEW.status = 'Approved' AND NEW.action = 'liquidate')
    EXECUTE FUNCTION closure_income_guard();

-- What of an income paid a claim is stored as it is paid.
CREATE TRIGGER keep_to_creditor BEFORE UPDATE OF to_creditor ON credit_income
    FOR EACH ROW WHEN (OLD.to_creditor <> NEW.to_creditor AND (OLD.status <> 'Due' OR NEW.status <> 'Paid'))
    EXECUTE FUNCTION kept_columns();
