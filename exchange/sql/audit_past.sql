-- The histories that other triggers kept of tokens and of figures, taken over into the audit.
CREATE OR REPLACE FUNCTION adopt_history(source regclass, target text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_trigger record;
BEGIN
    EXECUTE format($adopt$
        INSERT INTO exchange_change
            (id, at, actor, actor_label, via, database_user, application, table_name, record_id,
             about_id, operation, before, after)
        SELECT (left(h.stamp, 8) || '-' || right(h.stamp, 4) || '-7'
                   || lpad(to_hex(h.number %% 4096), 3, '0')
                   || right(gen_random_uuid()::text, 18))::uuid,
               h.at, coalesce('staff:' || (h.context ->> 'user'), 'system:unknown'), '', '', '', '',
               %L, h.record, '', CASE WHEN h.was IS NULL THEN 'INSERT' ELSE 'UPDATE' END,
               CASE WHEN h.was IS NOT NULL THEN d.before END, d.after
        FROM (
            SELECT pgh_id AS number, pgh_created_at AS at, pgh_context AS context,
                   pgh_obj_id::text AS record,
                   lpad(to_hex((extract(epoch FROM pgh_created_at) * 1000)::bigint), 12, '0')
                       AS stamp,
                   v.is_now, lag(v.is_now) OVER (PARTITION BY pgh_obj_id ORDER BY pgh_id) AS was
            FROM %s s CROSS JOIN LATERAL (
                SELECT jsonb_object_agg(key, value) AS is_now FROM jsonb_each(to_jsonb(s))
                WHERE key NOT LIKE 'pgh\_%%'
            ) v
        ) h
        CROSS JOIN LATERAL (
            SELECT jsonb_object_agg(k, h.was -> k) AS before,
                   jsonb_object_agg(k, h.is_now -> k) AS after
            FROM jsonb_object_keys(h.is_now) k WHERE h.was -> k IS DISTINCT FROM h.is_now -> k
        ) d
        WHERE d.after IS NOT NULL
    $adopt$, target, source);
    FOR v_trigger IN
        SELECT tgname, tgrelid::regclass AS place, tgfoid::regprocedure AS function
        FROM pg_trigger WHERE tgrelid = target::regclass AND tgname LIKE 'pgtrigger\_%'
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', v_trigger.tgname, v_trigger.place);
        EXECUTE format('DROP FUNCTION %s', v_trigger.function);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION adopt_history FROM PUBLIC;
