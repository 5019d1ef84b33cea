-- Breaks stay open until two people close them.

-- The subject of a break never changes. Reports update in_latest_report, people the status.
REVOKE DELETE, UPDATE ON wallets_reconciliationbreak FROM exchange_runtime;
GRANT UPDATE (status, owner_id, latest_report_id, in_latest_report)
    ON wallets_reconciliationbreak TO exchange_runtime;
REVOKE DELETE ON wallets_breakexplanation FROM exchange_runtime;
SELECT audit_table('wallets_reconciliationbreak', left_out => '{latest_report_id,in_latest_report}');
SELECT audit_table('wallets_breakexplanation', about => 'subject_id');

-- Explanations need dual control; see exchange/staff/sql/two_person.sql.
CREATE TRIGGER approval_guard
    BEFORE INSERT OR UPDATE OR DELETE ON wallets_breakexplanation
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'explanation', 'proposed_by_id', 'Pending', 'Approved', 'reason');

-- A break starts open, follows its explanations, and stays closed once closed.
CREATE FUNCTION break_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_expected text := 'Open';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.status = 'Closed'
            AND (NEW.status, NEW.owner_id) IS DISTINCT FROM (OLD.status, OLD.owner_id)
        THEN
            RAISE EXCEPTION 'break % is closed', OLD.id USING ERRCODE = 'restrict_violation';
        END IF;
        SELECT CASE status WHEN 'Approved' THEN 'Closed' ELSE 'Explained' END INTO v_expected
        FROM public.wallets_breakexplanation
        WHERE subject_id = NEW.id AND status IN ('Approved', 'Pending')
        ORDER BY status LIMIT 1;
        v_expected := coalesce(v_expected, 'Open');
    END IF;
    IF NEW.status <> v_expected THEN
        RAISE EXCEPTION 'break % cannot be %: its explanations say otherwise', NEW.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'break_status_by_explanations';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER break_guard BEFORE INSERT OR UPDATE OF status, owner_id
    ON wallets_reconciliationbreak FOR EACH ROW EXECUTE FUNCTION break_guard();

-- A month is closed once the breaks of its days, and of days before it, are.
CREATE FUNCTION period_breaks_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM public.wallets_reconciliationbreak b
               WHERE b.day < NEW.month + interval '1 month' AND b.status <> 'Closed')
    THEN
        RAISE EXCEPTION '% cannot be closed: breaks are not explained', NEW.month
            USING ERRCODE = 'check_violation', CONSTRAINT = 'period_breaks_explained';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER breaks_guard BEFORE UPDATE OF status ON wallets_periodclose
    FOR EACH ROW WHEN (NEW.status = 'Approved') EXECUTE FUNCTION period_breaks_guard();
