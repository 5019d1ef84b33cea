-- The numbers of events in the feed (decision 63). An event has one once its transaction is committed.

-- Queues events in the transaction that writes them, under the locks of their records: positions of one
-- record follow the order of its changes.
CREATE FUNCTION queue_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.exchange_unnumberedevent (event_id, organisation_id)
    SELECT id, organisation_id FROM made;
    RETURN NULL;
END $$;
CREATE TRIGGER event_queued AFTER INSERT ON exchange_event REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION queue_events();

-- Numbers committed events, the oldest 10,000 at most; returns how many. Callers do this one after
-- another, and each sees what those before it committed: no number is ever below one that was given, and
-- a reader that has seen a number has seen all below it. Call it in a transaction of its own, which the
-- next caller waits for.
CREATE FUNCTION number_events() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_numbered integer;
BEGIN
    PERFORM FROM public.exchange_unnumberedevent ORDER BY position LIMIT 1;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    PERFORM pg_advisory_xact_lock(x'46454544'::bigint);
    WITH taken AS (
        DELETE FROM public.exchange_unnumberedevent
        WHERE position IN (
            SELECT position FROM public.exchange_unnumberedevent ORDER BY position LIMIT 10000)
        RETURNING position, event_id, organisation_id
    )
    INSERT INTO public.exchange_eventnumber (event_id, organisation_id, numbered_at)
    SELECT event_id, organisation_id, statement_timestamp() FROM taken ORDER BY position;
    GET DIAGNOSTICS v_numbered = ROW_COUNT;
    RETURN v_numbered;
END $$;
REVOKE ALL ON FUNCTION number_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION number_events TO exchange_runtime;

SELECT make_append_only('exchange_eventnumber');
REVOKE ALL ON exchange_unnumberedevent, exchange_eventnumber FROM exchange_runtime;
GRANT SELECT ON exchange_unnumberedevent, exchange_eventnumber TO exchange_runtime;
REVOKE ALL ON SEQUENCE exchange_eventnumber_seq, exchange_unnumberedevent_position_seq
    FROM exchange_runtime;
