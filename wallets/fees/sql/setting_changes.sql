-- Effective values of settings, and the rules for changing them.

-- The effective value of a setting at a given time; null for an unknown key. Read at the moment of
-- use, so an approved change takes effect on time without a job. By the clock: the transaction that uses
-- it may have waited for a lock since it began.
CREATE FUNCTION effective_setting(p_key text, p_at timestamptz DEFAULT clock_timestamp())
RETURNS numeric LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT coalesce(f.value, c.value)
        FROM public.wallets_configuration c
        LEFT JOIN LATERAL (
            SELECT value FROM public.wallets_settingchange
            WHERE configuration_id = c.key AND status = 'Approved' AND effective_at <= p_at
            ORDER BY effective_at DESC, decided_at DESC LIMIT 1
        ) f ON true
        WHERE c.key = p_key);
END $$;

-- A setting keeps its key and its initial value.
CREATE FUNCTION configuration_key_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.key, OLD.value) IS DISTINCT FROM (NEW.key, NEW.value) THEN
        RAISE EXCEPTION 'the initial value of % never changes', OLD.key
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER configuration_key_guard BEFORE UPDATE ON wallets_configuration
    FOR EACH ROW EXECUTE FUNCTION configuration_key_guard();
REVOKE INSERT, UPDATE, DELETE ON wallets_configuration FROM exchange_runtime;
SELECT audit_table('wallets_configuration', record => 'key', left_out => '{updated_at}');

-- In addition to two_person.sql: a change has a reason, is not effective before its approval, and
-- cannot be cancelled once it is effective.
CREATE FUNCTION setting_change_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        -- A command holds payouts at once; their release takes two people.
        IF NEW.proposed_by_id IS NULL AND NEW.configuration_id = 'PAYOUTS_ON_HOLD' AND NEW.value = 1
            AND NEW.status = 'Approved' AND NEW.effective_at <= clock_timestamp()
            AND NEW.reason <> ''
        THEN
            RETURN NEW;
        END IF;
        IF NEW.proposed_by_id IS NULL OR num_nonnulls(NEW.effective_at, NEW.cancellation_requested_by_id, NEW.cancelled_by_id) > 0
            OR NEW.reason = ''
        THEN
            RAISE EXCEPTION 'a settings change starts as a proposal with a reason'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'setting_change_starts_empty';
        END IF;
        RETURN NEW;
    END IF;
    IF (OLD.status, NEW.status) NOT IN (
        ('Pending', 'Approved'), ('Pending', 'Rejected'), ('Pending', 'Withdrawn'),
        ('Approved', 'Approved'), ('Approved', 'Cancelled'))
    THEN
        RAISE EXCEPTION 'settings change % cannot go from % to %', OLD.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'setting_change_transition';
    END IF;
    IF OLD.status = 'Pending' AND (NEW.decided_by_id IS NULL OR NEW.decided_at IS NULL
        OR NEW.cancellation_requested_by_id IS NOT NULL
        OR NEW.status = 'Rejected' AND NEW.decision_note = ''
        OR NEW.status = 'Withdrawn' AND NEW.decided_by_id <> NEW.proposed_by_id
        OR NEW.status = 'Approved' AND (
            NEW.effective_at IS NULL OR NEW.effective_at < now()
            OR NEW.effective_at < NEW.effective_from)
        OR NEW.status <> 'Approved' AND NEW.effective_at IS NOT NULL)
    THEN
        RAISE EXCEPTION 'settings change % does not meet the conditions of %', OLD.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'setting_change_decision';
    END IF;
    IF OLD.status = 'Approved' AND NEW.effective_at <= clock_timestamp() THEN
        RAISE EXCEPTION 'settings change % is effective', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'setting_change_effective';
    END IF;
    IF NEW.status = 'Cancelled'
        AND OLD.cancellation_requested_by_id IS DISTINCT FROM NEW.cancellation_requested_by_id
    THEN
        RAISE EXCEPTION 'one person requests to cancel settings change %, and another confirms', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'setting_change_cancelled_by_two';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER setting_change_guard BEFORE INSERT OR UPDATE ON wallets_settingchange
    FOR EACH ROW EXECUTE FUNCTION setting_change_guard();
CREATE TRIGGER approval_guard
    BEFORE INSERT OR UPDATE OR DELETE ON wallets_settingchange
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'setting_change', 'proposed_by_id', 'Pending', 'Approved', 'decision_note,effective_at,approval_reason',
        'status,cancellation_requested_by_id,cancellation_reason,cancelled_by_id,cancelled_at',
        'Approved');
SELECT make_permanent('wallets_settingchange');
SELECT audit_table('wallets_settingchange', about => 'configuration_id');
