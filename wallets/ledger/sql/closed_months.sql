-- Closed months: no transfer is dated into one. Who posts holds this lock shared until its transaction ends,
-- who closes a month takes it alone, so each has its place before or after the other.
CREATE FUNCTION lock_closed_months() RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(hashtextextended('closed_months', 0));
REVOKE ALL ON FUNCTION lock_closed_months FROM PUBLIC;

CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_periodclose
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'period_close', 'proposed_by_id', 'Pending', 'Approved', 'reason,pdf,pdf_sha256');
REVOKE DELETE ON wallets_periodclose FROM exchange_runtime;
SELECT audit_table('wallets_periodclose', left_out => '{csv,pdf}');

-- Whether a transaction that began before `p_moment` still runs. (As the owner, who sees more sessions than
-- the service. Where it does not see one, the lock below waits for what that session posted.)
CREATE FUNCTION older_transaction(p_moment timestamptz) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_stat_activity a
                   WHERE a.datname = current_database() AND a.backend_type = 'client backend'
                       AND a.pid <> pg_backend_pid() AND a.xact_start < p_moment)
        OR EXISTS (SELECT FROM pg_prepared_xacts p
                   WHERE p.database = current_database() AND p.prepared < p_moment)
$$;
REVOKE ALL ON FUNCTION older_transaction FROM PUBLIC;
GRANT EXECUTE ON FUNCTION older_transaction TO exchange_runtime;

-- Why a month cannot be closed now, as a code; NULL if it can.
CREATE FUNCTION period_problem(p_month date, p_proof uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    v_starts timestamptz := p_month::timestamp AT TIME ZONE 'UTC';
    v_ends timestamptz := (p_month + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
    IF now() < v_ends + interval '1 hour' THEN
        RETURN 'not_over';
    ELSIF older_transaction(v_ends) THEN
        RETURN 'in_use';
    ELSIF NOT EXISTS (SELECT FROM wallets_periodclose c
                      WHERE c.month = p_month - interval '1 month' AND c.status = 'Approved')
        AND EXISTS (SELECT FROM wallets_transfer t
                    WHERE t.id < first_id_at(v_starts + interval '1 hour')
                        AND t.created_at < v_starts)
    THEN
        RETURN 'gap';
    ELSIF NOT (SELECT b.passed FROM wallets_booksproof b ORDER BY b.ran_at DESC, b.id DESC LIMIT 1)
        OR NOT EXISTS (SELECT FROM wallets_booksproof b
                       WHERE b.id = p_proof AND b.passed AND NOT b.incremental
                           AND b.ran_at >= v_ends + interval '1 hour')
    THEN
        RETURN 'proof';
    END IF;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION period_problem FROM PUBLIC;
GRANT EXECUTE ON FUNCTION period_problem TO exchange_runtime;

-- The files are those of the hashes; the lock is taken last, for the rest of the transaction.
CREATE FUNCTION period_close_guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    v_problem text := period_problem(NEW.month, NEW.proof_id);
BEGIN
    IF v_problem IS NOT NULL THEN
        RAISE EXCEPTION '% cannot be closed: %', NEW.month, v_problem
            USING ERRCODE = 'check_violation', CONSTRAINT = 'period_closable';
    ELSIF (NEW.csv_sha256 = encode(sha256(NEW.csv), 'hex')
            AND NEW.pdf_sha256 = encode(sha256(NEW.pdf), 'hex')) IS NOT TRUE
    THEN
        RAISE EXCEPTION 'the files of % are not those of its hashes', NEW.month
            USING ERRCODE = 'check_violation', CONSTRAINT = 'period_hashes';
    END IF;
    PERFORM lock_closed_months();
    RETURN NEW;
END $$;
CREATE TRIGGER close_guard BEFORE UPDATE OF status ON wallets_periodclose
    FOR EACH ROW WHEN (NEW.status = 'Approved') EXECUTE FUNCTION period_close_guard();
