-- Claims an idempotency key inside the transaction of its effect.
--
-- A duplicate that arrives while the first is running waits on the unique index until the first
-- commits or rolls back, at most `p_wait_ms` (SQLSTATE 55P03 after it). Returns NULL columns when
-- the key is now ours, and the first one's answer when there is one. Refuses another body with
-- SQLSTATE XI422. Keys older than `p_kept` count as never seen.
CREATE FUNCTION claim_idempotency_key(
    p_organisation uuid, p_method text, p_path text, p_key text, p_body_hash text,
    p_wait_ms integer, p_kept interval,
    OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    was text := current_setting('lock_timeout');
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
        WHERE r.created_at < now() - p_kept
    RETURNING true INTO claimed;
    PERFORM set_config('lock_timeout', was, true);
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

-- Keeps the answer with the effect, in the same transaction.
CREATE FUNCTION store_idempotent_answer(
    p_organisation uuid, p_method text, p_path text, p_key text,
    p_status_code integer, p_message text, p_data text
) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
    UPDATE exchange_idempotencyrecord
        SET status_code = p_status_code, message = p_message, data = p_data
        WHERE organisation_id = p_organisation AND method = p_method
            AND path = p_path AND key = p_key;
$$;

-- Gives up a key that was claimed in this transaction: its request was not done.
CREATE FUNCTION release_idempotency_key(
    p_organisation uuid, p_method text, p_path text, p_key text
) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
    DELETE FROM exchange_idempotencyrecord
        WHERE organisation_id = p_organisation AND method = p_method
            AND path = p_path AND key = p_key;
$$;
