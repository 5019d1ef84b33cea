-- Differences with the provider stay open until two people have explained them.

-- What a break is about stays; a report notes whether it still shows it, people decide about it.
REVOKE DELETE, UPDATE ON wallets_reconciliationbreak FROM exchange_runtime;
GRANT UPDATE (status, owner_id, latest_report_id, in_latest_report)
    ON wallets_reconciliationbreak TO exchange_runtime;
REVOKE DELETE ON wallets_breakexplanation FROM exchange_runtime;
SELECT audit_table('wallets_reconciliationbreak', left_out => '{latest_report_id,in_latest_report}');
SELECT audit_table('wallets_breakexplanation', about => 'subject_id');

-- Explanations are decided by two persons: see exchange/staff/sql/two_person.sql.
CREATE TRIGGER approval_guard
    BEFORE INSERT OR UPDATE OR DELETE ON wallets_breakexplanation
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'explanation', 'proposed_by_id', 'Pending', 'Approved', 'reason');

-- A break starts open, is as far as its explanations are, and once closed it stays closed.
CREATE FUNCTION break_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_wanted text := 'Open';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.status = 'Closed'
            AND (NEW.status, NEW.owner_id) IS DISTINCT FROM (OLD.status, OLD.owner_id)
        THEN
            RAISE EXCEPTION 'break % is closed', OLD.id USING ERRCODE = 'restrict_violation';
        END IF;
        SELECT CASE status WHEN 'Approved' THEN 'Closed' ELSE 'Explained' END INTO v_wanted
        FROM public.wallets_breakexplanation
        WHERE subject_id = NEW.id AND status IN ('Approved', 'Pending')
        ORDER BY status LIMIT 1;
        v_wanted := coalesce(v_wanted, 'Open');
    END IF;
    IF NEW.status <> v_wanted THEN
        RAISE EXCEPTION 'break % is not % by its explanations', NEW.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'break_status_by_explanations';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER break_guard BEFORE INSERT OR UPDATE OF status, owner_id
    ON wallets_reconciliationbreak FOR EACH ROW EXECUTE FUNCTION break_guard();
