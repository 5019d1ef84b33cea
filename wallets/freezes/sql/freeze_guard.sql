-- Guards of freezes: the content never changes, and only two people lift one.
CREATE FUNCTION freeze_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a freeze is never removed' USING ERRCODE = 'restrict_violation';
    ELSIF TG_OP = 'INSERT' THEN
        IF NEW.lifted_at IS NOT NULL THEN
            RAISE EXCEPTION 'a freeze starts active'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'freeze_starts_active';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.lifted_at IS NOT NULL
        OR to_jsonb(OLD) - '{lifted_at,owner_id}'::text[] <> to_jsonb(NEW) - '{lifted_at,owner_id}'::text[]
    THEN
        RAISE EXCEPTION 'freeze % is lifted, or what it says would change', OLD.id
            USING ERRCODE = 'restrict_violation';
    ELSIF NEW.lifted_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM public.wallets_freezelift l
        WHERE l.freeze_id = NEW.id AND l.status = 'Approved' AND l.decided_by_id <> l.proposed_by_id)
    THEN
        RAISE EXCEPTION 'freeze % is lifted by two people only', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'freeze_lifted_by_two';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER freeze_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_freeze
    FOR EACH ROW EXECUTE FUNCTION freeze_guard();
-- Two people (exchange/staff/sql/two_person.sql).
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_freezelift
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'freeze_lift', 'proposed_by_id', 'Pending', 'Approved', 'reason');

REVOKE DELETE ON wallets_freeze, wallets_freezelift FROM exchange_runtime;

SELECT audit_table('wallets_freeze', about => 'owner_id', left_out => '{owner_id}');
SELECT audit_table('wallets_freezelift', about => 'freeze_id');
