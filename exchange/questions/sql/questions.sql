-- A question is about a pending record of an owner, and closed once, with its answer. The tables of subjects
-- belong to upper apps, so there is no foreign key: the trigger looks the record up by the name of its table.
CREATE FUNCTION question_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_table regclass := to_regclass(format('public.%I', replace(NEW.subject_type, '.', '_')));
    v_fits boolean := false;
BEGIN
    IF v_table IS NOT NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE id = $1 AND status = ''Pending''
                            AND organisation_id = $2 AND member_id IS NOT DISTINCT FROM $3)', v_table)
            INTO v_fits USING NEW.subject_id, NEW.organisation_id, NEW.member_id;
    END IF;
    IF NOT v_fits THEN
        RAISE EXCEPTION 'no % % of this owner is pending', NEW.subject_type, NEW.subject_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'question_about_pending_record';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER question_guard BEFORE INSERT ON exchange_question
    FOR EACH ROW EXECUTE FUNCTION question_guard();

SELECT guard_start('exchange_question', '{"closed_at": null}');
SELECT keep_columns('exchange_question',
    '{id,subject_type,subject_id,organisation_id,member_id,text,asked_by_id,created_at}');
CREATE TRIGGER closed_once BEFORE UPDATE ON exchange_question
    FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL) EXECUTE FUNCTION kept_columns();
SELECT make_permanent('exchange_question');
REVOKE UPDATE ON exchange_question FROM exchange_runtime;
GRANT UPDATE (answer, closed_by_id, closed_at) ON exchange_question TO exchange_runtime;
SELECT audit_table('exchange_question', about => 'subject_id');
