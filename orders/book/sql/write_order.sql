-- Writes a planned order, a part of `enter_orders`.

-- Writes an order, or the amended one, its trades, the makers' new states, the token's volumes and all events.
-- Returns the order's document.
CREATE FUNCTION write_order(o orders_order, p_fills order_fill[], p_stem text, p_amended boolean)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    buys boolean;
    f order_fill;
    v_type text := 'order.created';
    v_trade text;
    v_maker text;
    v_units numeric := 0;
    v_value numeric := 0;
    -- Events: recipient, type, subject, data. NULL data: no event.
    v_recipients uuid[];
    v_types text[];
    v_subjects uuid[];
    v_data text[];
BEGIN
    IF p_amended THEN
        v_type := 'order.updated';
        UPDATE public.orders_order x SET
            seq = o.seq, price = o.price, tokens = o.tokens, amount = o.amount, status = o.status,
            filled = o.filled, filled_value = o.filled_value, charged = o.charged,
            charged_fee = o.charged_fee, reserved = o.reserved, reason = o.reason,
            updated_at = o.updated_at, closed_at = o.closed_at
        WHERE x.id = o.id RETURNING x.document INTO o.document;
    ELSE
        INSERT INTO public.orders_order
            (id, seq, token_id, organisation_id, member_id, api_key_id, owner_model, type, price,
             tokens, amount, fee_percent, status, filled, filled_value, charged, charged_fee,
             reserved, customer_name, customer_email, client_order_id, placed_by, reason,
             created_at, updated_at, closed_at, client_reference, metadata, order_type, time_in_force,
             post_only, expires_at, requested_amount)
        VALUES
            (o.id, o.seq, o.token_id, o.organisation_id, o.member_id, o.api_key_id, o.owner_model,
             o.type, o.price, o.tokens, o.amount, o.fee_percent, o.status, o.filled,
             o.filled_value, o.charged, o.charged_fee, o.reserved, o.customer_name,
             o.customer_email, o.client_order_id, o.placed_by, o.reason, o.updated_at,
             o.updated_at, o.closed_at, o.client_reference, o.metadata, o.order_type, o.time_in_force,
             o.post_only, o.expires_at, o.requested_amount)
        RETURNING document INTO o.document;
    END IF;
    IF o.status = 'Active' AND cardinality(p_fills) = 0 THEN
        -- The most common case.
        PERFORM public.emit_events(
            ARRAY[public.nth_id(p_stem, '0', 1)], ARRAY[o.organisation_id], ARRAY[v_type],
            ARRAY[o.id], ARRAY['{"order":' || o.document || '}']);
        RETURN o.document;
    END IF;

    buys := o.type = 'Buy';
    v_recipients := ARRAY[o.organisation_id];
    v_types := ARRAY[v_type];
    v_subjects := ARRAY[o.id];
    v_data := ARRAY['{"order":' || o.document || '}'];
    FOREACH f IN ARRAY p_fills LOOP
        v_maker := NULL;
        IF f.maker IS NOT NULL THEN
            UPDATE public.orders_order m SET
                filled = f.filled, filled_value = f.filled_value, charged = f.charged,
                charged_fee = f.charged_fee,
                reserved = m.reserved
                    - CASE WHEN buys THEN f.units ELSE f.maker_value + f.maker_fee END,
                status = CASE WHEN f.fulfilled THEN 'Fulfilled' ELSE 'Active' END,
                closed_at = CASE WHEN f.fulfilled THEN o.updated_at END,
                updated_at = o.updated_at
            WHERE m.id = f.maker
            RETURNING m.document INTO v_maker;
        END IF;
        INSERT INTO public.orders_trade
            (id, seq, token_id, buy_order_id, sell_order_id, taker, price, tokens,
             buyer_value, buyer_fee, seller_value, seller_fee, created_at)
        VALUES
            (f.trade, f.seq, o.token_id,
             CASE WHEN buys THEN o.id ELSE f.maker END, CASE WHEN buys THEN f.maker ELSE o.id END,
             o.type, f.price, f.units,
             CASE WHEN buys THEN f.taker_value ELSE f.maker_value END,
             CASE WHEN buys THEN f.taker_fee ELSE f.maker_fee END,
             CASE WHEN buys THEN f.maker_value ELSE f.taker_value END,
             CASE WHEN buys THEN f.maker_fee ELSE f.taker_fee END, o.updated_at)
        RETURNING document INTO v_trade;
        v_units := v_units + f.units;
        v_value := v_value + f.taker_value;
        v_recipients := v_recipients || ARRAY[o.organisation_id, f.organisation, f.organisation];
        v_types := v_types || '{trade.created,trade.created,order.fulfilled}'::text[];
        v_subjects := v_subjects || ARRAY[f.trade, f.trade, f.maker];
        v_data := v_data || ARRAY[
            '{"trade":' || v_trade || ',"order":' || o.document || ',"fill":{"value":'
                || trim_scale(f.taker_value) || ',"fee":' || trim_scale(f.taker_fee)
                || ',"liquidity":"' || CASE WHEN f.maker IS NULL THEN 'primary' ELSE 'taker' END || '"}}',
            '{"trade":' || v_trade || ',"order":' || v_maker || ',"fill":{"value":'
                || trim_scale(f.maker_value) || ',"fee":' || trim_scale(f.maker_fee)
                || ',"liquidity":"maker"}}',
            CASE WHEN f.fulfilled THEN public.order_end_data(v_maker, '') END];
    END LOOP;
    IF o.status <> 'Active' THEN
        v_recipients := v_recipients || o.organisation_id;
        v_types := v_types || ('order.' || lower(o.status));
        v_subjects := v_subjects || o.id;
        v_data := v_data || public.order_end_data(o.document, o.reason);
    END IF;

    IF v_units > 0 THEN
        UPDATE public.exchange_token SET
            vol_buy = vol_buy + v_units,
            vol_sell = vol_sell + CASE WHEN completed_raise THEN v_units ELSE 0 END,
            supply = supply + CASE WHEN completed_raise THEN 0 ELSE v_units END,
            total_allocated = total_allocated + CASE WHEN completed_raise THEN 0 ELSE v_units END,
            total_raised = total_raised + CASE WHEN completed_raise THEN 0 ELSE v_value END
        WHERE id = o.token_id;
    END IF;
    PERFORM public.emit_events(
        ARRAY(SELECT public.nth_id(p_stem, '0', n) FROM generate_series(1, cardinality(v_recipients)) n),
        v_recipients, v_types, v_subjects, v_data);
    RETURN o.document;
END $$;

-- Event data of a closed order.
CREATE FUNCTION order_end_data(p_document text, p_reason text) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN '{"order":' || p_document || ',"reason":'
        || CASE WHEN p_reason = '' THEN 'null' ELSE to_json(p_reason)::text END || '}';
END $$;

-- Emits the event of a closed order to its owner.
CREATE FUNCTION emit_order_end(o orders_order) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.emit_events(
        ARRAY[public.new_id()], ARRAY[o.organisation_id], ARRAY['order.' || lower(o.status)],
        ARRAY[o.id], ARRAY[public.order_end_data(o.document, o.reason)]);
END $$;
