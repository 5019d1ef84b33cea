-- Orders that arrived at one process at the same moment, in one transaction: each is planned as
-- `place_order` does it, one after the other; they are written, and what they move is posted, set by
-- set. Gives those that were done and what each answers. The others were not touched (see `plan_order`;
-- besides, a key that was seen before); each of them is for `place_order`.
--
-- Locks are taken as by one order: first all tokens, then all accounts, each in the order of their ids.
CREATE OR REPLACE FUNCTION place_orders(
    p_orders jsonb, p_status_code integer, p_message text
) RETURNS TABLE (done uuid, answer text) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_orders order_request[] := ARRAY(
        SELECT o FROM jsonb_populate_recordset(NULL::order_request, p_orders) o);
    v_claims idempotency_claim[];
    v_wait text := current_setting('lock_timeout');
    q order_request;
    p order_plan;
    l order_legs;
    v_done uuid[] := '{}';
    v_answers text[] := '{}';
    -- Planned, and not written yet.
    v_planned orders_order[] := '{}';
    v_fills order_fill[] := '{}';
    v_tokens uuid[] := '{}';
BEGIN
    v_claims := ARRAY(
        SELECT ROW(o.id, o.organisation, o.method, o.path, o.key, o.body_hash)::idempotency_claim
        FROM unnest(v_orders) o WHERE o.key IS NOT NULL);
    -- One token that is locked for long must not hold up the others: after a second all of them go
    -- one by one.
    PERFORM set_config('lock_timeout', '1s', true);
    IF cardinality(v_claims) > 0 THEN
        v_claims := claim_free_keys(v_claims);
        v_orders := ARRAY(
            SELECT o FROM unnest(v_orders) o
            WHERE o.key IS NULL OR o.id IN (SELECT c.request FROM unnest(v_claims) c));
    END IF;
    PERFORM FROM exchange_token
        WHERE id IN (SELECT o.token FROM unnest(v_orders) o) ORDER BY id FOR NO KEY UPDATE;
    FOREACH q IN ARRAY v_orders LOOP
        -- The next order must find the book as those before it leave it: they are written once one of
        -- them has traded its token, or could trade with it.
        IF q.token = ANY (v_tokens) AND EXISTS (
            SELECT FROM unnest(v_planned) x
            WHERE x.token_id = q.token AND (x.filled > 0 OR x.type <> q.type))
        THEN
            v_answers := v_answers || write_orders(v_planned, v_fills);
            v_planned := '{}';
            v_fills := '{}';
            v_tokens := '{}';
        END IF;
        p := plan_order(q, false, l);
        IF p.legs IS NOT NULL THEN
            l := p.legs;
            v_done := v_done || q.id;
            v_planned := v_planned || p.o;
            v_fills := v_fills || p.fills;
            v_tokens := v_tokens || q.token;
        END IF;
    END LOOP;
    IF cardinality(v_planned) > 0 THEN
        v_answers := v_answers || write_orders(v_planned, v_fills);
    END IF;
    PERFORM post_order_legs(l, id_stem(v_orders[1].id));
    IF cardinality(v_claims) > 0 THEN
        PERFORM keep_answers(v_claims, v_done, v_answers, p_status_code, p_message);
    END IF;
    PERFORM set_config('lock_timeout', v_wait, true);
    RETURN QUERY SELECT * FROM unnest(v_done, v_answers);
END $$;
REVOKE ALL ON FUNCTION place_orders FROM PUBLIC;
GRANT EXECUTE ON FUNCTION place_orders TO exchange_runtime;
