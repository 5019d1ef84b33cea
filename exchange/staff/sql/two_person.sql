-- Two-person approval (dual control), enforced for every table of proposals by one trigger function.
--
-- Arguments: prefix of the constraint names, column of the proposer (a person's id, or an actor as
-- text), status while pending, status that takes a second person, columns that a decision writes
-- in addition to status, decided_by_id and decided_at, columns that may change after the decision, and
-- states in which a row without a proposer, which only a command writes, may start.
-- (Generated columns count among both: a BEFORE trigger does not see them.)
--
-- A proposal starts pending, its content never changes, it is decided once, and never approved by its
-- proposer. Who proposes or decides is active staff. Trigger names sort before the other guards of
-- their tables.
CREATE FUNCTION two_person_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_name text := TG_ARGV[0];
    v_proposer text;
    v_pending text := TG_ARGV[2];
    v_approved text := TG_ARGV[3];
    v_may_change text[] := '{}';
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a % is never removed', v_name USING ERRCODE = 'restrict_violation';
    END IF;
    v_proposer := to_jsonb(NEW) ->> TG_ARGV[1];
    IF TG_OP = 'UPDATE' THEN
        IF OLD.status = v_pending THEN
            v_may_change := '{status,decided_by_id,decided_at}' || string_to_array(TG_ARGV[4], ',');
        ELSIF TG_NARGS > 5 THEN
            v_may_change := string_to_array(TG_ARGV[5], ',');
        END IF;
        IF to_jsonb(OLD) - v_may_change <> to_jsonb(NEW) - v_may_change THEN
            RAISE EXCEPTION '% % is decided, or what it proposes would change', v_name, OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
    ELSIF NEW.decided_by_id IS NOT NULL OR NEW.status <> ALL (CASE
        WHEN v_proposer IS NOT NULL THEN ARRAY[v_pending]
        WHEN TG_NARGS > 6 THEN string_to_array(TG_ARGV[6], ',') ELSE '{}' END)
    THEN
        RAISE EXCEPTION 'a % starts %', v_name, v_pending
            USING ERRCODE = 'check_violation', CONSTRAINT = v_name || '_starts_pending';
    END IF;
    IF EXISTS (
        SELECT FROM unnest(ARRAY[
            CASE WHEN v_proposer IS DISTINCT FROM to_jsonb(OLD) ->> TG_ARGV[1]
                THEN replace(v_proposer, 'staff:', '') END,
            CASE WHEN NEW.decided_by_id IS DISTINCT FROM OLD.decided_by_id
                THEN NEW.decided_by_id::text END]) p (person)
        -- Other actors have a prefix: API clients propose loan configurations.
        WHERE p.person NOT LIKE '%:%' AND NOT EXISTS (
            SELECT FROM public.exchange_staffuser s
            WHERE s.id::text = p.person AND s.is_active AND s.is_staff))
    THEN
        RAISE EXCEPTION 'only active staff propose or decide %', v_name
            USING ERRCODE = 'check_violation', CONSTRAINT = v_name || '_by_staff';
    END IF;
    IF NEW.status = v_pending AND num_nonnulls(NEW.decided_by_id, NEW.decided_at) > 0 THEN
        RAISE EXCEPTION '% % is % and not decided', v_name, NEW.id, v_pending
            USING ERRCODE = 'check_violation', CONSTRAINT = v_name || '_undecided';
    END IF;
    IF NEW.status = v_approved AND v_proposer IS NOT NULL AND (
        NEW.decided_by_id IS NULL
        OR v_proposer IN (NEW.decided_by_id::text, 'staff:' || NEW.decided_by_id))
    THEN
        RAISE EXCEPTION 'another person than its proposer must approve % %', v_name, NEW.id
            USING ERRCODE = 'check_violation',
                CONSTRAINT = v_name || '_' || lower(v_approved) || '_by_another';
    END IF;
    RETURN NEW;
END $$;
