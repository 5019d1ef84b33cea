-- Invariants of closure proposals, in addition to two_person.sql: only for loans in default and units that
-- a liquidation left in lien, and no more units are transferred than proposed.
CREATE FUNCTION closure_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NOT EXISTS (
        SELECT FROM public.credit_loan l
        WHERE l.id = NEW.loan_id
            AND (l.status = 'DEFAULTED' OR l.claim > 0 AND NEW.action = 'liquidate'))
    THEN
        RAISE EXCEPTION 'closure can only be proposed for a loan in default'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'closure_of_default';
    END IF;
    IF (NEW.decided_at IS NULL) <> (NEW.status = 'Pending')
        OR (NEW.decided_by_id IS NULL) <> (NEW.status IN ('Pending', 'Lapsed'))
        OR num_nulls(NEW.final_plan, NEW.final_owed, NEW.final_value, NEW.final_deficiency)
            <> (CASE WHEN NEW.status = 'Approved' THEN 0 ELSE 4 END)
    THEN
        RAISE EXCEPTION 'proposal % cannot be % with this decision', NEW.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'closure_decision';
    END IF;
    IF NEW.status = 'Approved' AND (
        NEW.final_owed > NEW.owed
        OR NEW.final_deficiency <> NEW.final_owed - NEW.final_value
        OR NEW.final_cash NOT BETWEEN 0 AND CASE NEW.action WHEN 'write_off' THEN 0 ELSE NEW.final_owed END
        OR NEW.final_value <> NEW.final_cash + (
            SELECT coalesce(sum((f ->> 'value')::numeric), 0)
            FROM jsonb_array_elements(NEW.final_plan) f)
        OR EXISTS (
            SELECT FROM jsonb_array_elements(NEW.final_plan) f
            LEFT JOIN jsonb_array_elements(NEW.plan) p ON p ->> 'token_id' = f ->> 'token_id'
            WHERE (f ->> 'passed')::numeric > coalesce((p ->> 'passed')::numeric, 0)
                OR f ->> 'price' IS DISTINCT FROM p ->> 'price'))
    THEN
        RAISE EXCEPTION 'proposal % allows less', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'closure_within_plan';
    END IF;
    -- A liquidation changes the owner of units, but of those that a final distribution pays for. The
    -- tokens are locked.
    IF NEW.status = 'Approved' AND NEW.action = 'liquidate' AND EXISTS (
        SELECT FROM jsonb_array_elements(NEW.final_plan) f
        JOIN public.exchange_token t ON t.id = (f ->> 'token_id')::uuid
        WHERE (f ->> 'passed')::numeric > 0 AND (t.exited OR t.units_held))
    THEN
        RAISE EXCEPTION 'a final distribution pays for units of proposal %', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'closure_leaves_units';
    END IF;
    IF NEW.status = 'Approved' AND NEW.action = 'liquidate' AND public.record_pending(ARRAY(
        SELECT c.token_id
        FROM public.credit_collateral c
        JOIN public.credit_loan l ON l.id = c.loan_id
        JOIN public.exchange_token t ON t.id = c.token_id
        WHERE c.loan_id = NEW.loan_id AND public.units_in_lien(c, l) > 0 AND NOT t.units_held))
    THEN
        RAISE EXCEPTION 'the record of a distribution of the collateral is due'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'closure_after_record';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER closure_guard BEFORE INSERT OR UPDATE ON credit_closureproposal
    FOR EACH ROW EXECUTE FUNCTION closure_guard();

-- Two people (exchange/staff/sql/two_person.sql).
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON credit_closureproposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'closure', 'proposed_by_id', 'Pending', 'Approved',
        'final_plan,final_owed,final_cash,final_value,final_deficiency');
REVOKE DELETE ON credit_closureproposal FROM exchange_runtime;
SELECT audit_table('credit_closureproposal', about => 'loan_id');
