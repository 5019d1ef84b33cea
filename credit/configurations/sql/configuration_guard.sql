-- Invariants of loan configurations, in addition to two_person.sql.

SELECT guard_start('credit_loanconfiguration', '{"status": "Pending"}');
SELECT guard_moves('credit_loanconfiguration', '{Pending>Approved,Pending>Rejected,Rejected>Pending,
    Approved>Retired}');
SELECT keep_columns('credit_loanconfiguration', '{id,creditor_id,created_at}');

-- A version is approved by a person who neither created nor last changed it. The decision is final,
-- except that an approved version may be superseded.
SELECT guard_moves('credit_configurationversion', '{Pending>Approved,Pending>Rejected,
    Approved>Superseded}');
CREATE FUNCTION version_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.decided_at IS NULL) <> (NEW.status = 'Pending')
        OR NEW.status = 'Pending' AND NEW.reason <> ''
        OR NEW.status = 'Rejected' AND NEW.reason = ''
    THEN
        RAISE EXCEPTION 'version % cannot be % with this decision', OLD.number, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_decision';
    END IF;
    IF OLD.status = 'Pending' AND NEW.status = 'Approved' AND EXISTS (
        SELECT FROM public.credit_configurationversion v
        JOIN public.credit_loanconfiguration c ON c.id = v.configuration_id
        WHERE c.id = NEW.configuration_id AND c.status = 'Pending' AND v.number = 1
            AND v.proposed_by = 'staff:' || NEW.decided_by_id)
    THEN
        RAISE EXCEPTION 'a configuration cannot be approved by the person who created it'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'version_approved_by_another';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER version_decision BEFORE UPDATE ON credit_configurationversion
    FOR EACH ROW EXECUTE FUNCTION version_decision();

-- Limits and organisations are part of the terms: inserted with a pending version, then immutable.
CREATE FUNCTION version_part_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wanted uuid;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF TG_TABLE_NAME = 'credit_loanlimit' THEN
            wanted := NEW.version_id;
        ELSE
            wanted := NEW.configurationversion_id;
        END IF;
        IF EXISTS (SELECT FROM public.credit_configurationversion v
                   WHERE v.id = wanted AND v.status = 'Pending')
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the terms of a version never change' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER version_part_guard BEFORE INSERT OR UPDATE OR DELETE ON credit_loanlimit
    FOR EACH ROW EXECUTE FUNCTION version_part_guard();
CREATE TRIGGER version_part_guard
    BEFORE INSERT OR UPDATE OR DELETE ON credit_configurationversion_organisations
    FOR EACH ROW EXECUTE FUNCTION version_part_guard();
REVOKE UPDATE, DELETE, TRUNCATE ON credit_loanlimit, credit_configurationversion_organisations
    FROM exchange_runtime;

-- At commit, the status of a configuration matches its versions.
CREATE FUNCTION configuration_matches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wanted uuid;
    found text;
BEGIN
    IF TG_TABLE_NAME = 'credit_loanconfiguration' THEN
        wanted := NEW.id;
    ELSE
        wanted := NEW.configuration_id;
    END IF;
    SELECT c.status INTO found FROM public.credit_loanconfiguration c
    WHERE c.id = wanted AND (
        EXISTS (SELECT FROM public.credit_configurationversion v
                WHERE v.configuration_id = wanted AND v.status = 'Approved')
            <> (c.status IN ('Approved', 'Retired'))
        OR c.status <> 'Approved'
            AND EXISTS (SELECT FROM public.credit_configurationversion v
                        WHERE v.configuration_id = wanted AND v.status = 'Pending')
                <> (c.status = 'Pending'));
    IF found IS NOT NULL THEN
        RAISE EXCEPTION 'configuration % is %, which does not match its versions', wanted, found
            USING ERRCODE = 'check_violation', CONSTRAINT = 'configuration_matches';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER configuration_matches
    AFTER INSERT OR UPDATE ON credit_loanconfiguration DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION configuration_matches();
CREATE CONSTRAINT TRIGGER configuration_matches
    AFTER INSERT OR UPDATE ON credit_configurationversion DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION configuration_matches();

-- Two people (exchange/staff/sql/two_person.sql); an approved version may still be superseded.
CREATE TRIGGER approval_guard
    BEFORE INSERT OR UPDATE OR DELETE ON credit_configurationversion
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'version', 'proposed_by', 'Pending', 'Approved', 'reason,approval_reason', 'status');
REVOKE DELETE ON credit_loanconfiguration, credit_configurationversion FROM exchange_runtime;

SELECT audit_table('credit_loanconfiguration', about => 'creditor_id',
    left_out => '{updated_at}');
SELECT audit_table('credit_configurationversion', about => 'configuration_id');
SELECT audit_table('credit_configurationversion_organisations',
    about => 'configurationversion_id');
SELECT audit_table('credit_loanlimit', about => 'version_id');
