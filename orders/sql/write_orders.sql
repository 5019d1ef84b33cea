-- Writing orders that were planned, a part of `place_orders`.

-- What `write_order` does, for several at once. Gives the orders' documents. No order may meet another of
-- these, and no maker may be there twice: one statement changes a row once.
CREATE OR REPLACE FUNCTION write_orders(p_orders orders_order[], p_fills order_fill[])
RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    v_stem text := public.id_stem(p_orders[1].id);
    v_now text := public.wire_time(now());
    v_documents text[];
BEGIN
    WITH given AS (
        SELECT x.*, type = 'Buy' AS buys FROM unnest(p_orders) WITH ORDINALITY x
    ), written AS (
        INSERT INTO public.orders_order
            (id, seq, token_id, organisation_id, member_id, api_key_id, owner_model, type, price,
             tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
             reserved, customer_name, customer_email, client_order_id, placed_by, reason,
             created_at, updated_at, closed_at)
        SELECT id, seq, token_id, organisation_id, member_id, api_key_id, owner_model, type, price,
               tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
               reserved, customer_name, customer_email, client_order_id, placed_by, reason,
               created_at, created_at, closed_at
        FROM given
        RETURNING id, document
    ), fill AS (
        SELECT f.*, g.ordinality, g.buys, g.type, g.token_id, g.created_at,
               g.organisation_id AS taker_organisation
        FROM unnest(p_fills) f JOIN given g ON g.id = f.taker
    ), maker AS (
        UPDATE public.orders_order m SET
            filled = f.filled, filled_value = f.filled_value, charged = f.charged,
            charged_fee = f.charged_fee,
            reserved = m.reserved
                - CASE WHEN f.buys THEN f.units ELSE f.maker_value + f.maker_fee END,
            status = CASE WHEN f.fulfilled THEN 'Fulfilled' ELSE 'Active' END,
            closed_at = CASE WHEN f.fulfilled THEN f.created_at END,
            updated_at = f.created_at
        FROM fill f WHERE m.id = f.maker
        RETURNING m.id, m.document
    ), trade AS (
        INSERT INTO public.orders_trade
            (id, seq, token_id, buy_order_id, sell_order_id, taker, price, tokens,
             buyer_value, buyer_fee, seller_value, seller_fee, created_at)
        SELECT trade, seq, token_id,
               CASE WHEN buys THEN taker ELSE maker END, CASE WHEN buys THEN maker ELSE taker END,
               type, price, units,
               CASE WHEN buys THEN taker_value ELSE maker_value END,
               CASE WHEN buys THEN taker_fee ELSE maker_fee END,
               CASE WHEN buys THEN maker_value ELSE taker_value END,
               CASE WHEN buys THEN maker_fee ELSE taker_fee END, created_at
        FROM fill
        RETURNING id, document
    ), token AS (
        UPDATE public.exchange_token x SET
            vol_buy = vol_buy + s.units,
            vol_sell = vol_sell + CASE WHEN completed_raise THEN s.units ELSE 0 END,
            supply = supply + CASE WHEN completed_raise THEN 0 ELSE s.units END,
            total_allocated = total_allocated + CASE WHEN completed_raise THEN 0 ELSE s.units END,
            total_raised = total_raised + CASE WHEN completed_raise THEN 0 ELSE s.value END
        FROM (
            SELECT token_id, sum(units) AS units, sum(taker_value) AS value
            FROM fill GROUP BY token_id
        ) s
        WHERE x.id = s.token_id
    ), told AS (
        SELECT g.ordinality, e.*
        FROM given g JOIN written ON written.id = g.id
        CROSS JOIN LATERAL (VALUES
            (0, 1, g.organisation_id, 'order.created', g.id,
             '{"order":' || written.document || '}'),
            -- After all fills.
            (9223372036854775807, 1, g.organisation_id, 'order.' || lower(g.status), g.id,
             CASE WHEN g.status <> 'Active'
                 THEN public.order_end_data(written.document, g.reason) END)
        ) e (seq, part, organisation, type, subject, data)
        UNION ALL
        SELECT f.ordinality, f.seq, e.*
        FROM fill f
        JOIN written ON written.id = f.taker
        JOIN trade ON trade.id = f.trade
        LEFT JOIN maker ON maker.id = f.maker
        CROSS JOIN LATERAL (VALUES
            (1, f.taker_organisation, 'trade.created', f.trade,
             '{"trade":' || trade.document || ',"order":' || written.document || '}'),
            (2, f.organisation, 'trade.created', f.trade,
             '{"trade":' || trade.document || ',"order":' || maker.document || '}'),
            (3, f.organisation, 'order.fulfilled', f.maker,
             CASE WHEN f.fulfilled THEN public.order_end_data(maker.document, '') END)
        ) e (part, organisation, type, subject, data)
    ), event AS (
        SELECT public.nth_id(v_stem, '0', row_number() OVER (ORDER BY ordinality, seq, part)) AS id,
               organisation, type, subject, data
        FROM told WHERE data IS NOT NULL
    ), sent AS (
        INSERT INTO public.exchange_event
            (id, organisation_id, type, subject_id, body, next_attempt_at, created_at)
        SELECT id, organisation, type, subject, public.event_body(id, type, data, v_now), now(), now()
        FROM event
    )
    SELECT array_agg(written.document ORDER BY g.ordinality) INTO v_documents
    FROM given g JOIN written ON written.id = g.id;
    RETURN v_documents;
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
