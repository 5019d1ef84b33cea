-- Places one order: claim the idempotency key, lock the token, check the order against it, match
-- it against the book (or, in a primary raise, the issuer's unsold units), settle every fill in
-- the ledger, reserve what is left, write order, trades and events, keep the answer.
--
-- All that changes a book happens under the lock of its token, so price-time priority is exact.
-- What will happen is worked out first; then all accounts it moves are changed in the order of
-- their ids, and nothing that follows waits for anybody. Everything is written set by set: a
-- statement costs more than a row.
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
    v_accounts uuid[];
    v_trades uuid[];
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
    v_accounts := accounts_of_order(o, t, m);
    IF cardinality(m.fills) > 0 THEN
        v_trades := ARRAY(SELECT new_id() FROM unnest(m.fills));
        PERFORM settle_order(o, t, m.fills, v_accounts, v_trades);
    ELSIF o.status = 'Active' THEN
        PERFORM reserve_order(o, t, v_accounts);
    END IF;
    o.document := write_order(o, m.fills, v_trades);
    IF cardinality(m.dust) > 0 THEN
        PERFORM close_order(d.maker, 'The rest is worth nothing', q.actor) FROM unnest(m.dust) d;
    END IF;
    IF cardinality(m.fills) > 0 THEN
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

-- Whether the token takes such an order now; the first rule that says no is named. (One expression:
-- PL/pgSQL prepares each anew in every transaction.)
CREATE OR REPLACE FUNCTION check_order(o orders_order, t order_terms)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_rule text := CASE
        WHEN NOT t.member_known THEN 'user_not_found'
        WHEN t.cancelled THEN 'token_cancelled'
        WHEN t.exited THEN 'token_exited'
        WHEN t.closed THEN 'token_closed'
        WHEN o.price <> round(o.price, t.decimals) THEN 'price_decimals'
        WHEN NOT t.completed AND o.type <> 'Buy' THEN 'in_primary_raise'
        WHEN NOT t.completed AND t.issuer = o.owner_id THEN 'own_raise'
        WHEN NOT t.completed AND o.price < t.offer THEN 'below_offer'
        WHEN t.completed AND NOT t.secondaries THEN 'not_in_secondaries'
        WHEN t.lowest > 0 AND o.price < t.lowest OR t.highest > 0 AND o.price > t.highest
            THEN 'price_out_of_band'
        WHEN o.amount = 0 THEN 'worth_nothing'
        WHEN o.amount > 1000000000000000 THEN 'amount_too_large'
        WHEN t.least > 0 AND o.amount < t.least THEN 'below_min_trade'
        WHEN t.most > 0 AND o.amount > t.most THEN 'above_max_trade'
    END;
BEGIN
    IF v_rule IS NOT NULL THEN
        PERFORM public.refuse_order(v_rule, CASE v_rule
            WHEN 'price_decimals' THEN format('{"decimals":%s}', t.decimals)
            WHEN 'below_offer' THEN format('{"price":%s}', trim_scale(t.offer))
            WHEN 'price_out_of_band' THEN format(
                '{"lowest":%s,"highest":%s}', trim_scale(t.lowest), trim_scale(t.highest))
            WHEN 'below_min_trade' THEN format(
                '{"amount":%s,"least":%s}', trim_scale(o.amount), trim_scale(t.least))
            WHEN 'above_max_trade' THEN format(
                '{"amount":%s,"most":%s}', trim_scale(o.amount), trim_scale(t.most))
            ELSE '{}'
        END);
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
CREATE OR REPLACE FUNCTION write_order(o orders_order, p_fills order_fill[], p_trades uuid[])
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    buys boolean := o.type = 'Buy';
    v_order text;
    v_end text;
BEGIN
    INSERT INTO public.orders_order
        (id, seq, token_id, organisation_id, member_id, api_key_id, owner_model, type, price,
         tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
         reserved, customer_name, customer_email, client_order_id, placed_by, reason, created_at,
         updated_at, closed_at)
    VALUES
        (o.id, o.seq, o.token_id, o.organisation_id, o.member_id, o.api_key_id, o.owner_model,
         o.type, o.price, o.tokens, o.amount, o.fee_percent, o.status, o.filled, o.filled_value,
         o.charged, o.charged_fee, o.reserved, o.customer_name, o.customer_email,
         o.client_order_id, o.placed_by, o.reason, o.created_at, o.updated_at, o.closed_at)
    RETURNING document INTO v_order;
    v_end := CASE WHEN o.status <> 'Active' THEN public.order_end_data(v_order, o.reason) END;
    IF cardinality(p_fills) = 0 THEN
        PERFORM public.emit_event(public.new_id(), o.organisation_id, 'order.created', o.id,
                                  '{"order":' || v_order || '}');
        IF v_end IS NOT NULL THEN
            PERFORM public.emit_event(public.new_id(), o.organisation_id,
                                      'order.' || lower(o.status), o.id, v_end);
        END IF;
        RETURN v_order;
    END IF;
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
        SELECT p_trades[f.ordinality], f.seq, o.token_id,
               CASE WHEN buys THEN o.id ELSE f.maker END,
               CASE WHEN buys THEN f.maker ELSE o.id END, o.type, f.price, f.units,
               CASE WHEN buys THEN f.taker_value ELSE f.maker_value END,
               CASE WHEN buys THEN f.taker_fee ELSE f.maker_fee END,
               CASE WHEN buys THEN f.maker_value ELSE f.taker_value END,
               CASE WHEN buys THEN f.maker_fee ELSE f.taker_fee END, o.created_at
        FROM unnest(p_fills) WITH ORDINALITY f
        RETURNING id, document
    ), told AS (
        SELECT o.organisation_id AS organisation, 'order.created' AS type, o.id AS subject,
               '{"order":' || v_order || '}' AS data
        UNION ALL
        SELECT e.*
        FROM unnest(p_fills) WITH ORDINALITY f
        JOIN trade ON trade.id = p_trades[f.ordinality]
        LEFT JOIN maker ON maker.id = f.maker
        CROSS JOIN LATERAL (VALUES
            (o.organisation_id, 'trade.created', trade.id,
             '{"trade":' || trade.document || ',"order":' || v_order || '}'),
            (f.organisation, 'trade.created', trade.id,
             '{"trade":' || trade.document || ',"order":' || maker.document || '}'),
            (f.organisation, 'order.fulfilled', f.maker,
             CASE WHEN f.fulfilled THEN public.order_end_data(maker.document, '') END)
        ) e (organisation, type, subject, data)
        UNION ALL
        SELECT o.organisation_id, 'order.' || lower(o.status), o.id, v_end
    ), event AS MATERIALIZED (
        SELECT public.new_id() AS id, * FROM told WHERE data IS NOT NULL
    )
    INSERT INTO public.exchange_event
        (id, organisation_id, type, subject_id, body, status, attempts, next_attempt_at,
         created_at)
    SELECT id, organisation, type, subject, public.event_body(id, type, data), 'Pending', 0,
           now(), now()
    FROM event;
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
