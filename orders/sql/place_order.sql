-- Places one order: claim the idempotency key, lock the token, check the order against it, match
-- it against the book (or, in a primary raise, the issuer's unsold units), settle every fill in
-- the ledger, reserve what is left, write order, trades and events, keep the answer.
--
-- All that changes a book happens under the lock of its token, so price-time priority is exact.
-- Makers are collected first, then all accounts are locked in the order of their ids.
--
-- An order is charged round(cumulative) - already charged, for value and fee alike: its fills add
-- up to exactly what one fill would have cost. Buyer and seller may so differ by the last decimal
-- of the currency; the difference is the exchange's.
--
-- A refusal raises SQLSTATE XO400 with the code as its message and JSON as its detail.
CREATE TYPE order_request AS (
    id uuid, organisation uuid, member uuid, api_key uuid, owner_model text, token uuid,
    type text, price numeric, tokens numeric, customer_name text, customer_email text,
    client_order_id text, actor text,
    -- The idempotency key it came with, or nulls.
    method text, path text, key text, body_hash text
);
-- One fill: what the maker (NULL: the issuer) and the incoming order are charged for it.
CREATE TYPE order_fill AS (
    trade uuid, maker orders_order, price numeric, units numeric,
    maker_value numeric, maker_fee numeric, taker_value numeric, taker_fee numeric
);

CREATE OR REPLACE FUNCTION place_order(
    p_request jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text,
    OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    q order_request := jsonb_populate_record(NULL::order_request, p_request);
    t exchange_token;
    o orders_order;
    v_decimals integer;
    v_fills order_fill[];
    v_match record;
    v_fill order_fill;
    v_sold numeric := 0;
    v_raised numeric := 0;
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
    SELECT * INTO t FROM exchange_token WHERE id = q.token FOR NO KEY UPDATE;
    IF t.id IS NULL OR NOT token_visible(t, q.organisation) THEN
        PERFORM refuse_order('token_not_found');
    END IF;
    SELECT decimals INTO v_decimals FROM exchange_currency WHERE code = t.currency_id;
    o := new_order(q, t, v_decimals);
    PERFORM check_order(o, t, v_decimals);

    SELECT * INTO v_match FROM match_order(o, t, v_decimals);
    o := v_match.taker;
    v_fills := v_match.fills;
    PERFORM lock_accounts_of_order(o, t, v_fills);
    PERFORM check_funds(o, t, v_decimals);

    FOREACH v_fill IN ARRAY v_fills LOOP
        PERFORM settle_fill(o, t, v_fill);
        v_sold := v_sold + v_fill.units;
        IF (v_fill.maker).id IS NULL THEN
            v_raised := v_raised + v_fill.taker_value;
        END IF;
    END LOOP;
    o := reserve_rest(o, t, v_decimals, v_match.stopped);
    INSERT INTO orders_order
        (id, seq, token_id, organisation_id, member_id, api_key_id, owner_model, type, price,
         tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
         reserved, customer_name, customer_email, client_order_id, placed_by, reason, created_at,
         updated_at, closed_at)
    VALUES
        (o.id, o.seq, o.token_id, o.organisation_id, o.member_id, o.api_key_id, o.owner_model,
         o.type, o.price, o.tokens, o.amount, o.fee_percent, o.status, o.filled, o.filled_value,
         o.charged, o.charged_fee, o.reserved, o.customer_name, o.customer_email,
         o.client_order_id, o.placed_by, o.reason, o.created_at, o.updated_at, o.closed_at)
    RETURNING document INTO o.document;
    PERFORM emit_event(new_id(), o.organisation_id, 'order.created', o.id,
                       '{"order":' || o.document || '}');
    FOREACH v_fill IN ARRAY v_fills LOOP
        PERFORM record_fill(o, v_fill);
    END LOOP;
    PERFORM emit_order_end(o);
    PERFORM close_order(d, 'The rest is worth nothing', q.actor) FROM unnest(v_match.dust) d;

    IF v_sold > 0 THEN
        UPDATE exchange_token SET
            vol_buy = vol_buy + v_sold,
            vol_sell = vol_sell + CASE WHEN t.completed_raise THEN v_sold ELSE 0 END,
            supply = supply + CASE WHEN t.completed_raise THEN 0 ELSE v_sold END,
            total_allocated = total_allocated + CASE WHEN t.completed_raise THEN 0 ELSE v_sold END,
            total_raised = total_raised + v_raised
        WHERE id = t.id;
        IF NOT t.completed_raise THEN
            PERFORM complete_raise_if_sold(t.id, q.actor);
        END IF;
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
CREATE OR REPLACE FUNCTION new_order(q order_request, t exchange_token, p_decimals integer)
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
    o.amount := public.round_half_even(q.price * q.tokens, p_decimals);
    o.fee_percent := CASE WHEN q.type = 'Buy' THEN t.buy_fee ELSE t.sell_fee END;
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
CREATE OR REPLACE FUNCTION check_order(o orders_order, t exchange_token, p_decimals integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    buys boolean := o.type = 'Buy';
    lowest numeric := CASE WHEN buys THEN t.min_buy ELSE t.min_sell END;
    highest numeric := CASE WHEN buys THEN t.max_buy ELSE t.max_sell END;
    least_value numeric := CASE WHEN buys THEN t.min_trade_buy ELSE t.min_trade_sell END;
    most_value numeric := CASE WHEN buys THEN t.max_trade_buy ELSE t.max_trade_sell END;
BEGIN
    IF o.member_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM public.exchange_member m
        WHERE m.id = o.member_id AND m.organisation_id = o.organisation_id)
    THEN
        PERFORM public.refuse_order('user_not_found');
    ELSIF t.cancelled THEN
        PERFORM public.refuse_order('token_cancelled');
    ELSIF t.exited THEN
        PERFORM public.refuse_order('token_exited');
    ELSIF t.closed THEN
        PERFORM public.refuse_order('token_closed');
    ELSIF o.price <> round(o.price, p_decimals) THEN
        PERFORM public.refuse_order('price_decimals', format('{"decimals":%s}', p_decimals));
    ELSIF NOT t.completed_raise AND NOT buys THEN
        PERFORM public.refuse_order('in_primary_raise');
    ELSIF NOT t.completed_raise AND t.issuer_id = o.organisation_id AND o.member_id IS NULL THEN
        PERFORM public.refuse_order('own_raise');
    ELSIF NOT t.completed_raise AND o.price < t.price_buy THEN
        PERFORM public.refuse_order('below_offer', format('{"price":%s}', trim_scale(t.price_buy)));
    ELSIF t.completed_raise AND NOT t.secondaries THEN
        PERFORM public.refuse_order('not_in_secondaries');
    ELSIF lowest > 0 AND o.price < lowest OR highest > 0 AND o.price > highest THEN
        PERFORM public.refuse_order('price_out_of_band',
            format('{"lowest":%s,"highest":%s}', trim_scale(lowest), trim_scale(highest)));
    ELSIF o.amount = 0 THEN
        PERFORM public.refuse_order('worth_nothing');
    ELSIF o.amount > 1000000000000000 THEN
        PERFORM public.refuse_order('amount_too_large');
    ELSIF least_value > 0 AND o.amount < least_value THEN
        PERFORM public.refuse_order('below_min_trade',
            format('{"amount":%s,"least":%s}', trim_scale(o.amount), trim_scale(least_value)));
    ELSIF most_value > 0 AND o.amount > most_value THEN
        PERFORM public.refuse_order('above_max_trade',
            format('{"amount":%s,"most":%s}', trim_scale(o.amount), trim_scale(most_value)));
    END IF;
END $$;

-- Whether the owner can pay for, or deliver, all of the order. Called under the lock.
CREATE OR REPLACE FUNCTION check_funds(o orders_order, t exchange_token, p_decimals integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    buys boolean := o.type = 'Buy';
    v_asset text := CASE WHEN buys THEN t.currency_id ELSE t.id::text END;
    v_needed numeric := CASE WHEN buys
        THEN o.amount + public.round_half_even(o.price * o.tokens * o.fee_percent / 100, p_decimals)
        ELSE o.tokens END;
    v_available numeric;
BEGIN
    SELECT balance INTO v_available FROM public.wallets_account
        WHERE owner_id = o.owner_id AND asset_id = v_asset AND kind = 'available';
    IF coalesce(v_available, 0) < v_needed THEN
        PERFORM public.refuse_order(
            CASE WHEN buys THEN 'insufficient_balance' ELSE 'insufficient_units' END,
            format('{"available":%s,"requested":%s,"currency":"%s"}',
                   trim_scale(coalesce(v_available, 0)), trim_scale(v_needed), t.currency_id));
    END IF;
END $$;
