-- Claims an idempotency key inside the transaction of its effect.
--
-- A duplicate of a running request waits on the unique index until the first commits or rolls back,
-- at most `p_wait_ms` (then SQLSTATE 55P03). Returns NULL columns when the key was claimed, else the
-- stored response. Rejects another body with SQLSTATE XI422. Keys older than `p_retention` are free.
CREATE FUNCTION claim_idempotency_key(
    p_organisation uuid, p_method text, p_path text, p_key text, p_body_hash text,
    p_wait_ms integer, p_retention interval,
    OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    previous_timeout text := current_setting('lock_timeout');
    found_hash text;
    claimed boolean;
BEGIN
    PERFORM set_config('lock_timeout', p_wait_ms || 'ms', true);
    INSERT INTO exchange_idempotencyrecord AS r
        (organisation_id, method, path, key, body_hash, message, data, created_at)
    VALUES (p_organisation, p_method, p_path, p_key, p_body_hash, '', '', now())
    ON CONFLICT ON CONSTRAINT idempotency_key_once DO UPDATE
        SET body_hash = excluded.body_hash, status_code = NULL, message = '', data = '',
            created_at = excluded.created_at
        WHERE r.created_at < now() - p_retention
    RETURNING true INTO claimed;
    PERFORM set_config('lock_timeout', previous_timeout, true);
    IF claimed THEN
        RETURN;
    END IF;
    SELECT r.body_hash, r.status_code, r.message, r.data
        INTO found_hash, status_code, message, data
        FROM exchange_idempotencyrecord r
        WHERE r.organisation_id = p_organisation AND r.method = p_method
            AND r.path = p_path AND r.key = p_key;
    IF found_hash IS DISTINCT FROM p_body_hash THEN
        RAISE EXCEPTION 'idempotency key reused' USING ERRCODE = 'XI422';
    END IF;
END $$;

-- Stores the response in the transaction of the effect.
CREATE FUNCTION store_idempotent_response(
    p_organisation uuid, p_method text, p_path text, p_key text,
    p_status_code integer, p_message text, p_data text
) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
    UPDATE exchange_idempotencyrecord
        SET status_code = p_status_code, message = p_message, data = p_data
        WHERE organisation_id = p_organisation AND method = p_method
            AND path = p_path AND key = p_key;
$$;

-- Releases a key claimed in this transaction whose request was not executed.
CREATE FUNCTION release_idempotency_key(
    p_organisation uuid, p_method text, p_path text, p_key text
) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
    DELETE FROM exchange_idempotencyrecord
        WHERE organisation_id = p_organisation AND method = p_method
            AND path = p_path AND key = p_key;
$$;
