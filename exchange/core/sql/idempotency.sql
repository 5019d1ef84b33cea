-- The first day of the month of a moment (UTC).
CREATE FUNCTION month_of(moment timestamptz) RETURNS date LANGUAGE sql IMMUTABLE
RETURN date_trunc('month', moment AT TIME ZONE 'UTC')::date;

-- Claims an idempotency key inside the transaction of its effect.
--
-- A duplicate of a running request waits on the unique index until the first commits or rolls back,
-- at most `p_wait_ms` (then SQLSTATE 55P03). Returns NULL columns when the key was claimed, else the
-- stored response. Rejects another body with SQLSTATE XI422. Keys older than `p_retention` are free.
--
-- The table is partitioned by month, and an index is unique only within one. So a key is claimed in
-- every month from which a response may still be replayed, oldest first: in the last month too while
-- `p_retention` reaches back into it. The hour is for clocks that differ after a failover, and for
-- transactions that began in the old month.
CREATE FUNCTION claim_idempotency_key(
    p_organisation uuid, p_method text, p_path text, p_key text, p_body_hash text,
    p_wait_ms integer, p_retention interval,
    OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    previous_timeout text := current_setting('lock_timeout');
    current_month date := month_of(now());
    first_month date := month_of(now() - p_retention - interval '1 hour');
    claimed_month date := first_month;
    found_hash text;
    claimed boolean;
BEGIN
    PERFORM set_config('lock_timeout', p_wait_ms || 'ms', true);
    LOOP
        INSERT INTO exchange_idempotencyrecord AS r
            (organisation_id, method, path, key, month, body_hash, message, data, created_at)
        VALUES (p_organisation, p_method, p_path, p_key, claimed_month, p_body_hash, '', '', now())
        ON CONFLICT ON CONSTRAINT idempotency_key_once DO UPDATE
            SET body_hash = excluded.body_hash, status_code = NULL, message = '', data = '',
                created_at = excluded.created_at
            WHERE r.created_at < now() - p_retention
        RETURNING true INTO claimed;
        EXIT WHEN claimed IS NULL OR claimed_month >= current_month;
        claimed_month := claimed_month + interval '1 month';
    END LOOP;
    PERFORM set_config('lock_timeout', previous_timeout, true);
    IF claimed THEN
        RETURN;
    END IF;
    SELECT r.body_hash, r.status_code, r.message, r.data
        INTO found_hash, status_code, message, data
        FROM exchange_idempotencyrecord r
        WHERE r.organisation_id = p_organisation AND r.method = p_method
            AND r.path = p_path AND r.key = p_key AND r.month = claimed_month;
    IF found_hash IS DISTINCT FROM p_body_hash THEN
        RAISE EXCEPTION 'idempotency key reused' USING ERRCODE = 'XI422';
    END IF;
    IF claimed_month > first_month THEN
        -- Only after the clock was set back: an earlier month was free, and a later one was not.
        PERFORM release_idempotency_key(p_organisation, p_method, p_path, p_key);
    END IF;
END $$;

-- Stores the response in the transaction of the effect, in each month in which the key was claimed. Only
-- there it has no status yet.
CREATE FUNCTION store_idempotent_response(
    p_organisation uuid, p_method text, p_path text, p_key text,
    p_status_code integer, p_message text, p_data text
) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    current_month date := month_of(now());
BEGIN
    UPDATE exchange_idempotencyrecord r
        SET status_code = p_status_code, message = p_message, data = p_data
        WHERE r.organisation_id = p_organisation AND r.method = p_method
            AND r.path = p_path AND r.key = p_key AND r.status_code IS NULL
            AND r.month BETWEEN (current_month - interval '1 month')::date AND current_month;
END $$;

-- Releases a key claimed in this transaction whose request was not executed.
CREATE FUNCTION release_idempotency_key(
    p_organisation uuid, p_method text, p_path text, p_key text
) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    current_month date := month_of(now());
BEGIN
    DELETE FROM exchange_idempotencyrecord r
        WHERE r.organisation_id = p_organisation AND r.method = p_method
            AND r.path = p_path AND r.key = p_key AND r.status_code IS NULL
            AND r.month BETWEEN (current_month - interval '1 month')::date AND current_month;
END $$;
