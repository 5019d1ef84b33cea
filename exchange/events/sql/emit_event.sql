-- The signed body of an event; `p_data` is JSON text. Callers that write many bodies pass `p_time`,
-- as `wire_time` writes it.
CREATE FUNCTION event_body(p_id uuid, p_type text, p_data text, p_time text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN '{"id":"' || p_id::text || '","type":"' || p_type || '","timestamp":"' || p_time
    || '","data":' || p_data || '}';
CREATE FUNCTION event_body(p_id uuid, p_type text, p_data text) RETURNS text
LANGUAGE sql STABLE
RETURN public.event_body(p_id, p_type, p_data, public.wire_time(now()));

-- Writes outbox rows, given as parallel arrays, in their order, each with a delivery for every enabled
-- endpoint of its organisation that wants it; a test goes to the endpoint it is about. `p_data` is JSON
-- text; the body stored here is the body that is signed. Events without data are skipped. The caller
-- holds the locks of the records: the time is read under them, and so are the positions of the feed.
-- (PL/pgSQL caches its plans between calls; a SQL function does not.)
CREATE FUNCTION emit_events(
    p_ids uuid[], p_organisations uuid[], p_types text[], p_subjects uuid[], p_data text[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
    v_time text := public.wire_time(v_now);
BEGIN
    WITH made AS MATERIALIZED (
        SELECT e.id, e.organisation, e.type, e.subject, e.data
        FROM unnest(p_ids, p_organisations, p_types, p_subjects, p_data)
            e (id, organisation, type, subject, data)
        WHERE e.data IS NOT NULL
    ), queued AS (
        INSERT INTO public.exchange_eventdelivery (event_id, endpoint_id, next_attempt_at)
        SELECT e.id, w.id, v_now
        FROM made e JOIN public.exchange_webhookendpoint w ON w.organisation_id = e.organisation
        WHERE w.enabled AND CASE WHEN e.type = 'webhook.test' THEN w.id = e.subject
                                 ELSE w.events && ARRAY['*', e.type]::varchar[] END
        RETURNING event_id
    )
    INSERT INTO public.exchange_event (id, organisation_id, type, subject_id, body, status, created_at)
    SELECT e.id, e.organisation, e.type, e.subject, public.event_body(e.id, e.type, e.data, v_time),
           CASE WHEN e.id IN (SELECT event_id FROM queued) THEN 'Pending' ELSE 'Unsent' END, v_now
    FROM made e;
END $$;
REVOKE ALL ON FUNCTION emit_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION emit_events TO exchange_runtime;

-- Writes one outbox row.
CREATE FUNCTION emit_event(
    p_id uuid, p_organisation uuid, p_type text, p_subject uuid, p_data text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.emit_events(
        ARRAY[p_id], ARRAY[p_organisation], ARRAY[p_type], ARRAY[p_subject], ARRAY[p_data]);
END $$;

-- The frozen part of an event never changes, its status is a known one, and the application deletes no
-- event. It writes events through `emit_events`. (A trigger, as a CHECK would be read again by
-- every statement that writes an event.)
CREATE FUNCTION event_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.id, OLD.organisation_id, OLD.type, OLD.subject_id, OLD.body, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.type, NEW.subject_id, NEW.body, NEW.created_at)
    THEN
        RAISE EXCEPTION 'the content of event % is frozen', OLD.id USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status NOT IN ('Pending', 'Delivered', 'Exhausted', 'Unsent') OR NEW.attempts < 0 THEN
        RAISE EXCEPTION 'event % cannot be % after % attempts', OLD.id, NEW.status, NEW.attempts
            USING ERRCODE = 'check_violation', CONSTRAINT = 'event_status_known';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER event_frozen BEFORE UPDATE ON exchange_event
    FOR EACH ROW EXECUTE FUNCTION event_guard();
REVOKE INSERT, DELETE ON exchange_event FROM exchange_runtime;
SELECT make_append_only('exchange_deliveryattempt');

SELECT audit_table('exchange_webhookendpoint', about => 'organisation_id',
    hidden => '{secret,previous_secret}', left_out => '{updated_at,failing_since,failed_attempts}');
-- Delivery attempts have their own append-only rows. Manual resends are audited: by `queue_deliveries`
-- for each endpoint, and here those of the previous release, which has no such function.
SELECT audit_table('exchange_event', about => 'subject_id',
    left_out => '{body,attempts,next_attempt_at,leased_until,delivered_at}',
    inserts => NULL,
    updates => $$NEW.status = 'Pending' AND OLD.status <> 'Pending' AND NOT recorded_by_function()$$);

-- The smallest id of a record whose events are all in the outbox: older months may be detached. A record
-- and its first event are made together, but their ids may lie on both sides of a bound.
CREATE FUNCTION events_complete_since() RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(public.first_id_of(nullif(min(coalesce(starts, '-infinity')), '-infinity') + 1),
                    '00000000-0000-0000-0000-000000000000')
    FROM public.month_partitions() WHERE parent = 'exchange_event'
$$;
