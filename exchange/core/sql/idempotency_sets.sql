-- Keys of requests that are carried out together, in the transaction of their effects.

CREATE TYPE idempotency_claim AS (
    request uuid, organisation uuid, method text, path text, key text, body_hash text
);

-- Claims the keys that nobody has claimed before, and gives those claims. Of several requests with one
-- key the first by its id has it. Keys are claimed in one order everywhere. A key that another
-- transaction is claiming is not waited for long (SQLSTATE 55P03): its request goes by itself then, and
-- so do all others of this call.
CREATE FUNCTION claim_free_keys(p_claims idempotency_claim[])
RETURNS idempotency_claim[] LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    v_wait text := current_setting('lock_timeout');
    v_ours idempotency_claim[];
BEGIN
    PERFORM set_config('lock_timeout', '100ms', true);
    WITH first AS (
        SELECT DISTINCT ON (c.organisation, c.method, c.path, c.key)
               c.request, c.organisation, c.method, c.path, c.key, c.body_hash
        FROM unnest(p_claims) c
        ORDER BY c.organisation, c.method, c.path, c.key, c.request
    ), claimed AS (
        INSERT INTO exchange_idempotencyrecord AS r
            (organisation_id, method, path, key, body_hash, message, data, created_at)
        SELECT organisation, method, path, key, body_hash, '', '', now() FROM first
        ON CONFLICT ON CONSTRAINT idempotency_key_once DO NOTHING
        RETURNING organisation_id, r.method, r.path, r.key
    )
    SELECT coalesce(array_agg(
            ROW(f.request, f.organisation, f.method, f.path, f.key, f.body_hash)::idempotency_claim
        ), '{}')
        INTO v_ours
        FROM first f JOIN claimed c
            ON (c.organisation_id, c.method, c.path, c.key)
             = (f.organisation, f.method, f.path, f.key);
    PERFORM set_config('lock_timeout', v_wait, true);
    RETURN v_ours;
END $$;
REVOKE ALL ON FUNCTION claim_free_keys FROM PUBLIC;

-- Keeps the answers of the requests that were done. The key of one that was not is not kept: that
-- request comes again by itself.
CREATE FUNCTION keep_answers(
    p_claims idempotency_claim[], p_done uuid[], p_answers text[], p_status_code integer,
    p_message text
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE exchange_idempotencyrecord r
        SET status_code = p_status_code, message = p_message, data = a.answer
        FROM unnest(p_claims) c JOIN unnest(p_done, p_answers) a (done, answer)
            ON a.done = c.request
        WHERE (r.organisation_id, r.method, r.path, r.key)
            = (c.organisation, c.method, c.path, c.key);
    IF EXISTS (SELECT FROM unnest(p_claims) c WHERE c.request <> ALL (p_done)) THEN
        DELETE FROM exchange_idempotencyrecord r USING unnest(p_claims) c
            WHERE c.request <> ALL (p_done)
                AND (r.organisation_id, r.method, r.path, r.key)
                  = (c.organisation, c.method, c.path, c.key);
    END IF;
END $$;
REVOKE ALL ON FUNCTION keep_answers FROM PUBLIC;
