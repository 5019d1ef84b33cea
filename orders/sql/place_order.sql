-- Places one order: claim the idempotency key, lock the token, check the order against it, match
-- it against the book (or, in a primary raise, the issuer's unsold units), settle every fill in
-- the ledger, reserve what is left, write order, trades and events, keep the answer.
--
-- All that changes a book happens under the lock of its token, so price-time priority is exact.
-- What will happen is worked out first; then all accounts it moves are locked in the order of
-- their ids, and nothing that follows waits for anybody. Everything is written set by set.
--
-- An order is charged round(cumulative) - already charged, for value and fee alike: its fills add
-- up to exactly what one fill would have cost. Buyer and seller may so differ by the last decimal
-- of the currency; the difference is the exchange's.
--
-- A refusal raises SQLSTATE XO400 with the code as its message and JSON as its detail. The types
-- are in order_types.sql.

-- Tables are reached by their keys, however few rows they have: plans are made once.
CREATE OR REPLACE FUNCTION place_order(
    p_request jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text,
    OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    q order_request := jsonb_populate_record(NULL::order_request, p_request);
    buys boolean := q.type = 'Buy';
    t order_terms;
    o orders_order;
    m order_match;
    f order_fill;
    v_fills integer;
    v_ids uuid[];
BEGIN
    replayed := false;
    IF q.key IS NOT NULL THEN
        SELECT c.status_code, c.message, c.data INTO status_code, message, data
            FROM claim_idempotency_key(
                q.organisation, q.method, q.path, q.key, q.body_hash, p_wait_ms, p_kept) c;
        IF status_code IS NOT NULL THEN
            replayed := true;
            RETURN;
        END IF;
    END IF;

    SELECT x.id, x.symbol, x.issuer_id, x.currency_id,
           CASE WHEN buys THEN x.currency_id ELSE x.id::text END,
           CASE WHEN buys THEN x.id::text ELSE x.currency_id END, c.decimals,
           CASE WHEN buys THEN x.buy_fee ELSE x.sell_fee END,
           CASE WHEN buys THEN x.min_buy ELSE x.min_sell END,
           CASE WHEN buys THEN x.max_buy ELSE x.max_sell END,
           CASE WHEN buys THEN x.min_trade_buy ELSE x.min_trade_sell END,
           CASE WHEN buys THEN x.max_trade_buy ELSE x.max_trade_sell END,
           x.cancelled, x.exited, x.closed, x.secondaries, x.completed_raise,
           x.price_buy, x.raise_amount - x.total_raised, NULL, x.min_trade_buy,
           x.deal_access = 'Public' OR token_visible(x, q.organisation),
           q.member IS NULL OR EXISTS (
               SELECT FROM exchange_member
               WHERE id = q.member AND organisation_id = q.organisation)
        INTO t
        FROM exchange_token x JOIN exchange_currency c ON c.code = x.currency_id
        WHERE x.id = q.token FOR NO KEY UPDATE OF x;
    IF t.id IS NULL OR NOT t.visible THEN
        PERFORM refuse_order('token_not_found');
    END IF;
    o := new_order(q, t);
    PERFORM check_order(o, t);

    m := match_order(o, t);
    FOREACH f IN ARRAY m.fills LOOP
        o.filled := o.filled + f.units;
        o.filled_value := o.filled_value + f.price * f.units;
        o.charged := o.charged + f.taker_value;
        o.charged_fee := o.charged_fee + f.taker_fee;
    END LOOP;
    o := end_or_reserve(o, t, m.stopped);
    v_fills := cardinality(m.fills);
    -- Of the trades, of events (the order, three for a fill, the order's end), of entries.
    v_ids := new_ids(v_fills + 2 + 3 * v_fills + 2 + 5 * v_fills);
    PERFORM settle_order(o, t, m.fills, lock_accounts_of_order(o, t, m), v_ids);
    o.document := write_order(o, m.fills, v_ids);
    PERFORM close_order(d.maker, 'The rest is worth nothing', q.actor) FROM unnest(m.dust) d;

    IF v_fills > 0 THEN
        UPDATE exchange_token SET
            vol_buy = vol_buy + o.filled,
            vol_sell = vol_sell + CASE WHEN t.completed THEN o.filled ELSE 0 END,
            supply = supply + CASE WHEN t.completed THEN 0 ELSE o.filled END,
            total_allocated = total_allocated + CASE WHEN t.completed THEN 0 ELSE o.filled END,
            total_raised = total_raised + CASE WHEN t.completed THEN 0 ELSE o.charged END
        WHERE id = t.id;
    END IF;
    IF m.completes THEN
        PERFORM complete_raise(t.id, q.actor);
    END IF;

    status_code := p_status_code;
    message := p_message;
    data := o.document;
    IF q.key IS NOT NULL THEN
        PERFORM store_idempotent_answer(
            q.organisation, q.method, q.path, q.key, status_code, message, data);
    END IF;
END $$;
REVOKE ALL ON FUNCTION place_order FROM PUBLIC;
GRANT EXECUTE ON FUNCTION place_order TO exchange_runtime;

CREATE OR REPLACE FUNCTION refuse_order(p_code text, p_detail text DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', p_code USING ERRCODE = 'XO400', DETAIL = p_detail;
END $$;

-- The order as it comes, nothing filled yet.
CREATE OR REPLACE FUNCTION new_order(q order_request, t order_terms)
RETURNS orders_order LANGUAGE plpgsql AS $$
DECLARE
    o orders_order;
BEGIN
    -- Before they are put into columns, which would round them.
    IF q.price <> round(q.price, 8) THEN
        PERFORM public.refuse_order('price_decimals', format('{"decimals":%s}', t.decimals));
    ELSIF q.tokens <> round(q.tokens, 8) THEN
        PERFORM public.refuse_order('tokens_decimals');
    END IF;
    o.id := q.id;
    o.seq := nextval('public.orders_seq');
    o.token_id := t.id;
    o.organisation_id := q.organisation;
    o.member_id := q.member;
    o.api_key_id := q.api_key;
    o.owner_id := coalesce(q.member, q.organisation);
    o.owner_model := q.owner_model;
    o.type := q.type;
    o.price := q.price;
    o.tokens := q.tokens;
    o.amount := public.round_half_even(q.price * q.tokens, t.decimals);
    o.fee_percent := t.fee;
    o.status := 'Active';
    o.filled := 0;
    o.filled_value := 0;
    o.charged := 0;
    o.charged_fee := 0;
    o.reserved := 0;
    o.customer_name := coalesce(q.customer_name, '');
    o.customer_email := coalesce(q.customer_email, '');
    o.client_order_id := coalesce(q.client_order_id, '');
    o.placed_by := q.actor;
    o.reason := '';
    -- After the lock, so that the times of orders follow their priority.
    o.created_at := clock_timestamp();
    o.updated_at := o.created_at;
    RETURN o;
END $$;

-- Whether the token takes such an order now; the first rule that says no is named.
CREATE OR REPLACE FUNCTION check_order(o orders_order, t order_terms)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT t.member_known THEN
        PERFORM public.refuse_order('user_not_found');
    ELSIF t.cancelled THEN
        PERFORM public.refuse_order('token_cancelled');
    ELSIF t.exited THEN
        PERFORM public.refuse_order('token_exited');
    ELSIF t.closed THEN
        PERFORM public.refuse_order('token_closed');
    ELSIF o.price <> round(o.price, t.decimals) THEN
        PERFORM public.refuse_order('price_decimals', format('{"decimals":%s}', t.decimals));
    ELSIF NOT t.completed AND o.type <> 'Buy' THEN
        PERFORM public.refuse_order('in_primary_raise');
    ELSIF NOT t.completed AND t.issuer = o.owner_id THEN
        PERFORM public.refuse_order('own_raise');
    ELSIF NOT t.completed AND o.price < t.offer THEN
        PERFORM public.refuse_order('below_offer', format('{"price":%s}', trim_scale(t.offer)));
    ELSIF t.completed AND NOT t.secondaries THEN
        PERFORM public.refuse_order('not_in_secondaries');
    ELSIF t.lowest > 0 AND o.price < t.lowest OR t.highest > 0 AND o.price > t.highest THEN
        PERFORM public.refuse_order('price_out_of_band',
            format('{"lowest":%s,"highest":%s}', trim_scale(t.lowest), trim_scale(t.highest)));
    ELSIF o.amount = 0 THEN
        PERFORM public.refuse_order('worth_nothing');
    ELSIF o.amount > 1000000000000000 THEN
        PERFORM public.refuse_order('amount_too_large');
    ELSIF t.least > 0 AND o.amount < t.least THEN
        PERFORM public.refuse_order('below_min_trade',
            format('{"amount":%s,"least":%s}', trim_scale(o.amount), trim_scale(t.least)));
    ELSIF t.most > 0 AND o.amount > t.most THEN
        PERFORM public.refuse_order('above_max_trade',
            format('{"amount":%s,"most":%s}', trim_scale(o.amount), trim_scale(t.most)));
    END IF;
END $$;

-- `o` as it stands after its fills: fulfilled, its rest cancelled, or its rest reserved.
CREATE OR REPLACE FUNCTION end_or_reserve(o orders_order, t order_terms, p_stopped text)
RETURNS orders_order LANGUAGE plpgsql AS $$
DECLARE
    v_full numeric := o.filled_value + o.price * (o.tokens - o.filled);
    v_value numeric := public.round_half_even(v_full, t.decimals) - o.charged;
BEGIN
    IF o.filled = o.tokens THEN
        o.status := 'Fulfilled';
    ELSIF p_stopped IS NOT NULL THEN
        o.status := 'Cancelled';
        o.reason := p_stopped;
    ELSIF v_value = 0 THEN
        o.status := 'Cancelled';
        o.reason := 'The rest is worth nothing';
    ELSIF o.type = 'Buy' THEN
        o.reserved := v_value - o.charged_fee
            + public.round_half_even(v_full * o.fee_percent / 100, t.decimals);
    ELSE
        o.reserved := o.tokens - o.filled;
    END IF;
    IF o.status <> 'Active' THEN
        o.closed_at := o.created_at;
    END IF;
    RETURN o;
END $$;

-- Writes the order, its trades and what became of the makers, and tells everybody. Gives the
-- order's document.
CREATE OR REPLACE FUNCTION write_order(o orders_order, p_fills order_fill[], p_ids uuid[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    buys boolean := o.type = 'Buy';
    v_fills integer := cardinality(p_fills);
    v_order text;
BEGIN
    WITH placed AS (
        INSERT INTO public.orders_order
            (id, seq, token_id, organisation_id, member_id, api_key_id, owner_model, type, price,
             tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
             reserved, customer_name, customer_email, client_order_id, placed_by, reason,
             created_at, updated_at, closed_at)
        VALUES
            (o.id, o.seq, o.token_id, o.organisation_id, o.member_id, o.api_key_id,
             o.owner_model, o.type, o.price, o.tokens, o.amount, o.fee_percent, o.status,
             o.filled, o.filled_value, o.charged, o.charged_fee, o.reserved, o.customer_name,
             o.customer_email, o.client_order_id, o.placed_by, o.reason, o.created_at,
             o.updated_at, o.closed_at)
        RETURNING document
    ), told AS (
        INSERT INTO public.exchange_event
            (id, organisation_id, type, subject_id, body, status, attempts, next_attempt_at,
             created_at)
        SELECT e.id, o.organisation_id, e.type, o.id, public.event_body(e.id, e.type, e.data),
               'Pending', 0, now(), now()
        FROM placed CROSS JOIN LATERAL (VALUES
            (p_ids[v_fills + 1], 'order.created', '{"order":' || placed.document || '}'),
            (p_ids[4 * v_fills + 2], 'order.' || lower(o.status),
             CASE WHEN o.status <> 'Active' THEN
                public.order_end_data(placed.document, o.reason) END)
        ) e (id, type, data)
        WHERE e.data IS NOT NULL
    )
    SELECT document INTO v_order FROM placed;
    IF v_fills > 0 THEN
        WITH maker AS (
            UPDATE public.orders_order m SET
                filled = f.filled, filled_value = f.filled_value, charged = f.charged,
                charged_fee = f.charged_fee,
                reserved = m.reserved
                    - CASE WHEN buys THEN f.units ELSE f.maker_value + f.maker_fee END,
                status = CASE WHEN f.fulfilled THEN 'Fulfilled' ELSE 'Active' END,
                closed_at = CASE WHEN f.fulfilled THEN o.created_at END,
                updated_at = o.created_at
            FROM unnest(p_fills) f WHERE m.id = f.maker
            RETURNING m.id, m.document
        ), trade AS (
            INSERT INTO public.orders_trade
                (id, seq, token_id, buy_order_id, sell_order_id, taker, price, tokens,
                 buyer_value, buyer_fee, seller_value, seller_fee, created_at)
            SELECT p_ids[f.ordinality], f.seq, o.token_id,
                   CASE WHEN buys THEN o.id ELSE f.maker END,
                   CASE WHEN buys THEN f.maker ELSE o.id END, o.type, f.price, f.units,
                   CASE WHEN buys THEN f.taker_value ELSE f.maker_value END,
                   CASE WHEN buys THEN f.taker_fee ELSE f.maker_fee END,
                   CASE WHEN buys THEN f.maker_value ELSE f.taker_value END,
                   CASE WHEN buys THEN f.maker_fee ELSE f.taker_fee END, o.created_at
            FROM unnest(p_fills) WITH ORDINALITY f
            RETURNING id, document
        ), told AS (
            SELECT e.*
            FROM unnest(p_fills) WITH ORDINALITY f
            JOIN trade ON trade.id = p_ids[f.ordinality]
            LEFT JOIN maker ON maker.id = f.maker
            CROSS JOIN LATERAL (VALUES
                (p_ids[v_fills + 3 * f.ordinality - 1], o.organisation_id, 'trade.created', trade.id,
                 '{"trade":' || trade.document || ',"order":' || v_order || '}'),
                (p_ids[v_fills + 3 * f.ordinality], f.organisation, 'trade.created', trade.id,
                 '{"trade":' || trade.document || ',"order":' || maker.document || '}'),
                (p_ids[v_fills + 3 * f.ordinality + 1], f.organisation, 'order.fulfilled', f.maker,
                 CASE WHEN f.fulfilled THEN public.order_end_data(maker.document, '') END)
            ) e (id, organisation, type, subject, data)
            WHERE e.data IS NOT NULL
        )
        INSERT INTO public.exchange_event
            (id, organisation_id, type, subject_id, body, status, attempts, next_attempt_at,
             created_at)
        SELECT id, organisation, type, subject, public.event_body(id, type, data), 'Pending', 0,
               now(), now()
        FROM told;
    END IF;
    RETURN v_order;
END $$;

-- What is told of an order that is over.
CREATE OR REPLACE FUNCTION order_end_data(p_document text, p_reason text) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN '{"order":' || p_document || ',"reason":'
        || CASE WHEN p_reason = '' THEN 'null' ELSE to_json(p_reason)::text END || '}';
END $$;

-- Tells the owner that an order is over.
CREATE OR REPLACE FUNCTION emit_order_end(o orders_order) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.emit_event(public.new_id(), o.organisation_id, 'order.' || lower(o.status),
                              o.id, public.order_end_data(o.document, o.reason));
END $$;

-- `p_count` ids like those of `new_id`, in order, for little more than one costs: they differ in
-- their time, which runs ahead by a quarter of a microsecond for each, and share the random rest.
CREATE OR REPLACE FUNCTION new_ids(p_count integer) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    -- In 1/4096 of a millisecond: the 48 bits of the time and the 12 after the version.
    v_first bigint := extract(epoch FROM clock_timestamp()) * 4096000;
    v_rest text := right(gen_random_uuid()::text, 17);
BEGIN
    RETURN ARRAY(
        SELECT (lpad(to_hex(n >> 12), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0')
                || v_rest)::uuid
        FROM generate_series(v_first, v_first + p_count - 1) n);
END $$;
