-- Comments are written once, about a record that exists. The tables of their subjects belong to upper
-- apps, so there is no foreign key: the trigger looks the subject up by the name of its table.
SELECT make_append_only('exchange_comment');

CREATE FUNCTION comment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_table regclass := to_regclass(format('public.%I', replace(NEW.subject_type, '.', '_')));
    v_exists boolean := false;
BEGIN
    IF v_table IS NOT NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE id = $1)', v_table)
            INTO v_exists USING NEW.subject_id;
    END IF;
    IF NOT v_exists THEN
        RAISE EXCEPTION 'there is no % %', NEW.subject_type, NEW.subject_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'comment_subject_exists';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER comment_guard BEFORE INSERT ON exchange_comment
    FOR EACH ROW EXECUTE FUNCTION comment_guard();

SELECT audit_table('exchange_comment', about => 'subject_id');
