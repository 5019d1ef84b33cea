-- Places one order: claim the idempotency key, lock the token; check the order against it and match
-- it against the book or, in a primary raise, the issuer's unsold units (`plan_order`); write order,
-- trades and events (`write_orders`); settle every fill in the ledger and reserve what is left
-- (`post_order_legs`); keep the answer. `place_orders` does it for several.
--
-- All that changes a book happens under the lock of its token, so price-time priority is exact.
-- What will happen is worked out first, and accounts are changed last, all at once in the order of
-- their ids. Everything is written set by set: a statement costs more than a row.
--
-- An order is charged round(cumulative) - already charged, for value and fee alike: its fills add
-- up to exactly what one fill would have cost. Buyer and seller may so differ by the last decimal
-- of the currency; the difference is the exchange's.
--
-- A refusal raises SQLSTATE XO400 with the code as its message and JSON as its detail. The types
-- are in order_types.sql and order_legs.sql.

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
    p order_plan;
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

    -- By a statement of its own: who waits for the token then looks at what those before have left.
    PERFORM FROM exchange_token WHERE id = q.token FOR NO KEY UPDATE;
    p := plan_order(q, true, NULL);
    data := (write_orders(ARRAY[p.o], p.fills))[1];
    PERFORM post_order_legs(p.legs);
    IF cardinality(p.dust) > 0 THEN
        PERFORM close_order(d.maker, 'The rest is worth nothing', q.actor) FROM unnest(p.dust) d;
    END IF;
    IF p.completes THEN
        PERFORM complete_raise(q.token, q.actor);
    END IF;

    status_code := p_status_code;
    message := p_message;
    IF q.key IS NOT NULL THEN
        PERFORM store_idempotent_answer(
            q.organisation, q.method, q.path, q.key, status_code, message, data);
    END IF;
END $$;
REVOKE ALL ON FUNCTION place_order FROM PUBLIC;
GRANT EXECUTE ON FUNCTION place_order TO exchange_runtime;

-- What will become of an order: checked against its token, which is locked, and matched. Nothing is
-- written yet. One that is placed with others (not `p_alone`; `p_before` is what those will move) is
-- planned only if nothing about it is out of the ordinary: no refusal, no account to open, no raise, no
-- maker whose rest is to be closed. Otherwise the plan is NULL.
CREATE OR REPLACE FUNCTION plan_order(
    q order_request, p_alone boolean, p_before order_legs
) RETURNS order_plan LANGUAGE plpgsql AS $$
DECLARE
    buys boolean := q.type = 'Buy';
    t order_terms;
    o orders_order;
    m order_match;
    f order_fill;
    r order_plan;
    v_rule text;
    v_accounts uuid[];
BEGIN
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
           x.deal_access = 'Public' OR public.token_visible(x, q.organisation),
           q.member IS NULL OR EXISTS (
               SELECT FROM public.exchange_member
               WHERE id = q.member AND organisation_id = q.organisation),
           a.id, a.balance, z.id
        INTO t
        FROM public.exchange_token x JOIN public.exchange_currency c ON c.code = x.currency_id
        LEFT JOIN public.wallets_account a ON a.owner_id = coalesce(q.member, q.organisation)
            AND a.asset_id = CASE WHEN buys THEN x.currency_id ELSE x.id::text END
            AND a.kind = 'available'
        LEFT JOIN public.wallets_account z ON z.owner_id = a.owner_id
            AND z.asset_id = a.asset_id AND z.kind = 'reserved'
        WHERE x.id = q.token;
    IF t.id IS NULL OR NOT t.visible THEN
        v_rule := 'token_not_found';
    ELSE
        o := public.new_order(q, t);
        v_rule := public.broken_rule(q, o, t);
    END IF;
    IF NOT p_alone AND (v_rule IS NOT NULL OR NOT t.completed) THEN
        RETURN NULL;
    ELSIF v_rule IS NOT NULL THEN
        PERFORM public.refuse_order(v_rule, public.rule_detail(v_rule, o, t));
    END IF;

    m := public.match_order(o, t);
    FOREACH f IN ARRAY m.fills LOOP
        o.filled := o.filled + f.units;
        o.filled_value := o.filled_value + f.price * f.units;
        o.charged := o.charged + f.taker_value;
        o.charged_fee := o.charged_fee + f.taker_fee;
    END LOOP;
    o := public.end_or_reserve(o, t, m.stopped);
    IF NOT p_alone AND cardinality(m.dust) > 0 THEN
        RETURN NULL;
    END IF;
    v_accounts := public.accounts_of_order(o, t, m, p_alone, p_before);
    IF v_accounts IS NULL THEN
        RETURN NULL;
    END IF;
    r.o := o;
    r.fills := m.fills;
    r.dust := m.dust;
    r.completes := m.completes;
    r.legs := public.legs_of_order(p_before, o, t, m.fills, v_accounts);
    RETURN r;
END $$;

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

-- Whether the token takes such an order now: the first rule that says no, or NULL. (One expression:
-- PL/pgSQL prepares each anew in every transaction.)
CREATE OR REPLACE FUNCTION broken_rule(q order_request, o orders_order, t order_terms)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE
        -- Asked of the request: columns have rounded them.
        WHEN q.price <> round(q.price, 8) THEN 'price_decimals'
        WHEN q.tokens <> round(q.tokens, 8) THEN 'tokens_decimals'
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
END $$;

-- What goes with a broken rule.
CREATE OR REPLACE FUNCTION rule_detail(p_rule text, o orders_order, t order_terms)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE p_rule
        WHEN 'price_decimals' THEN format('{"decimals":%s}', t.decimals)
        WHEN 'below_offer' THEN format('{"price":%s}', trim_scale(t.offer))
        WHEN 'price_out_of_band' THEN format(
            '{"lowest":%s,"highest":%s}', trim_scale(t.lowest), trim_scale(t.highest))
        WHEN 'below_min_trade' THEN format(
            '{"amount":%s,"least":%s}', trim_scale(o.amount), trim_scale(t.least))
        WHEN 'above_max_trade' THEN format(
            '{"amount":%s,"most":%s}', trim_scale(o.amount), trim_scale(t.most))
        ELSE '{}'
    END;
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
