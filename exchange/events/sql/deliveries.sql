-- The deliveries of events to endpoints. `emit_events` writes them, workers lease and record them, and
-- `queue_deliveries` sends them again.

-- Copies to events the status of their oldest endpoint: of those that are not Unsent, if any. The lock
-- comes first, so that the last of several writers sees what the others wrote.
CREATE FUNCTION copy_delivery_status(p_events uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.exchange_event WHERE id = ANY (p_events) ORDER BY id FOR NO KEY UPDATE;
    UPDATE public.exchange_event e
    SET status = d.status, attempts = d.attempts, delivered_at = d.delivered_at
    FROM unnest(p_events) i (id)
    CROSS JOIN LATERAL (
        SELECT status, attempts, delivered_at FROM public.exchange_eventdelivery
        WHERE event_id = i.id ORDER BY status = 'Unsent', endpoint_id LIMIT 1
    ) d
    WHERE e.id = i.id AND e.id = ANY (p_events)
        AND (e.status, e.attempts, e.delivered_at)
            IS DISTINCT FROM (d.status, d.attempts, d.delivered_at);
END $$;

CREATE FUNCTION delivery_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status NOT IN ('Pending', 'Delivered', 'Exhausted', 'Unsent') OR NEW.attempts < 0 THEN
        RAISE EXCEPTION 'delivery of % cannot be % after % attempts', OLD.event_id, NEW.status, NEW.attempts
            USING ERRCODE = 'check_violation', CONSTRAINT = 'delivery_status_known';
    END IF;
    PERFORM public.copy_delivery_status(ARRAY[NEW.event_id]);
    RETURN NULL;
END $$;
CREATE TRIGGER delivery_changed AFTER UPDATE OF status, attempts, delivered_at ON exchange_eventdelivery
    FOR EACH ROW EXECUTE FUNCTION delivery_changed();

-- Queues deliveries, given as parallel arrays, in any status or new; the retry schedule restarts. One that
-- is being sent keeps its lease: the outcome counts as the first attempt of the new schedule. Only people
-- and clients resend, so each delivery gets a row of the audit log: of the event, about the endpoint.
CREATE FUNCTION queue_deliveries(p_events uuid[], p_endpoints uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM public.write_change(
        'exchange_eventdelivery', CASE WHEN d.status IS NULL THEN 'INSERT' ELSE 'UPDATE' END,
        q.event_id::text, q.endpoint_id::text,
        CASE WHEN d.status IS NOT NULL
             THEN jsonb_build_object('status', d.status, 'attempts', d.attempts) END,
        jsonb_build_object('status', 'Pending', 'attempts', 0))
    FROM unnest(p_events, p_endpoints) q (event_id, endpoint_id)
    LEFT JOIN public.exchange_eventdelivery d USING (event_id, endpoint_id);
    INSERT INTO public.exchange_eventdelivery AS d (event_id, endpoint_id, next_attempt_at)
    SELECT event_id, endpoint_id, statement_timestamp()
    FROM unnest(p_events, p_endpoints) q (event_id, endpoint_id)
    ORDER BY event_id, endpoint_id
    ON CONFLICT (event_id, endpoint_id) DO UPDATE
    SET status = 'Pending', attempts = 0, delivered_at = NULL,
        next_attempt_at = greatest(d.leased_until, statement_timestamp()),
        leased_until = CASE WHEN d.leased_until > statement_timestamp() THEN d.leased_until END;
    PERFORM public.copy_delivery_status(p_events);
END $$;
REVOKE ALL ON FUNCTION queue_deliveries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION queue_deliveries TO exchange_runtime;

-- Takes over events that the previous release queued in their own rows: before it had deliveries, or
-- while both run. They go to the oldest endpoint once due, unless the previous release has leased them.
-- Goes with the columns `next_attempt_at` and `leased_until` of events, in the next release.
CREATE FUNCTION adopt_events() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    WITH due AS (
        SELECT id, organisation_id, attempts FROM public.exchange_event
        WHERE status = 'Pending' AND next_attempt_at <= statement_timestamp()
        LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED
    ), adopted AS (
        INSERT INTO public.exchange_eventdelivery AS d (event_id, endpoint_id, attempts, next_attempt_at)
        SELECT due.id, w.id, due.attempts, statement_timestamp() FROM due
        CROSS JOIN LATERAL (
            SELECT id FROM public.exchange_webhookendpoint
            WHERE organisation_id = due.organisation_id ORDER BY id LIMIT 1
        ) w
        ON CONFLICT (event_id, endpoint_id) DO UPDATE
        SET status = 'Pending', attempts = 0, delivered_at = NULL, next_attempt_at = statement_timestamp()
        RETURNING event_id
    )
    UPDATE public.exchange_event e
    SET next_attempt_at = NULL, leased_until = NULL,
        status = CASE WHEN e.id IN (SELECT event_id FROM adopted) THEN e.status ELSE 'Unsent' END
    FROM due WHERE e.id = due.id;
END $$;
REVOKE ALL ON FUNCTION adopt_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION adopt_events TO exchange_runtime;

REVOKE ALL ON exchange_eventdelivery FROM exchange_runtime;
GRANT SELECT, UPDATE (status, attempts, next_attempt_at, leased_until, last_attempt_at, delivered_at)
    ON exchange_eventdelivery TO exchange_runtime;
