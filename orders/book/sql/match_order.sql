-- Matching, a part of `enter_orders`, under the lock of the token. `p_stem` is the stem from which
-- `nth_id` makes ids: events are table 0, entries 1 and trades 2.

-- Matches the incoming order `o` in price-time priority at the makers' prices. Returns its fills,
-- makers whose remainder is dust, and the reason if its own remainder is cancelled. Read-only.
CREATE FUNCTION match_order(o orders_order, t order_terms, p_stem text)
RETURNS order_match LANGUAGE plpgsql AS $$
DECLARE
    r order_match;
    f order_fill;
    m record;
    v_side text := CASE o.type WHEN 'Buy' THEN 'Sell' ELSE 'Buy' END;
    v_left numeric := o.tokens;
    v_value numeric;
    v_book refcursor;
BEGIN
    IF NOT t.completed THEN
        RETURN public.buy_from_issuer(o, t, p_stem);
    END IF;
    r.fills := '{}';
    r.dust := '{}';
    r.completes := false;
    f.taker := o.id;
    IF o.type = 'Buy' THEN
        OPEN v_book FOR
            SELECT id, organisation_id, member_id, owner_id, price, tokens, filled, filled_value,
                   charged, charged_fee, fee_percent
            FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Sell' AND status = 'Active'
                AND price <= o.price
            ORDER BY price, seq;
    ELSE
        OPEN v_book FOR
            SELECT id, organisation_id, member_id, owner_id, price, tokens, filled, filled_value,
                   charged, charged_fee, fee_percent
            FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Buy' AND status = 'Active'
                AND price >= o.price
            ORDER BY price DESC, seq;
    END IF;
    WHILE v_left > 0 LOOP
        FETCH v_book INTO m;
        EXIT WHEN NOT FOUND;
        IF m.owner_id = o.owner_id THEN
            r.stopped := 'It met an order of its own owner';
            EXIT;
        END IF;
        f.maker := m.id;
        f.organisation := m.organisation_id;
        f.member := m.member_id;
        f.owner := m.owner_id;
        f.price := m.price;
        f.units := least(v_left, m.tokens - m.filled);
        v_value := m.price * f.units;
        f.filled := m.filled + f.units;
        f.filled_value := m.filled_value + v_value;
        f.fulfilled := f.filled = m.tokens;
        IF v_value < t.minor THEN
            -- Dust, less than one minor unit: closes the order that has no more than this left.
            IF f.fulfilled THEN
                r.dust := r.dust || f;
                CONTINUE;
            END IF;
            r.stopped := 'The rest is worth nothing';
            EXIT;
        END IF;
        -- Charges of each side: new total less old total.
        f.charged := public.order_value(v_side, f.filled_value, t.minor);
        f.charged_fee := abs(f.charged
            - public.order_total(v_side, f.filled_value, m.fee_percent, t.minor));
        f.maker_value := f.charged - m.charged;
        f.maker_fee := f.charged_fee - m.charged_fee;
        o.filled_value := o.filled_value + v_value;
        f.taker_value := public.order_value(o.type, o.filled_value, t.minor) - o.charged;
        o.charged := o.charged + f.taker_value;
        f.taker_fee := abs(o.charged
            - public.order_total(o.type, o.filled_value, o.fee_percent, t.minor)) - o.charged_fee;
        o.charged_fee := o.charged_fee + f.taker_fee;
        f.seq := nextval('public.orders_seq');
        f.trade := public.nth_id(p_stem, '2', f.seq);
        v_left := v_left - f.units;
        r.fills := r.fills || f;
    END LOOP;
    CLOSE v_book;
    IF r.stopped IS NULL AND v_left > 0 AND v_left * o.price < t.minor THEN
        -- No fill of the remainder could be worth a minor unit.
        r.stopped := 'The rest is worth nothing';
    END IF;
    RETURN r;
END $$;

-- The same in a primary raise: fills as many units as the raise still has, at the offer price. The
-- remainder is cancelled.
CREATE FUNCTION buy_from_issuer(o orders_order, t order_terms, p_stem text)
RETURNS order_match LANGUAGE plpgsql AS $$
DECLARE
    r order_match;
    f order_fill;
    v_value numeric;
    v_left numeric;
BEGIN
    SELECT balance + coalesce(t.unsold, 0) INTO t.unsold FROM public.wallets_account
        WHERE owner_id = t.issuer AND asset_id = t.gets AND kind = 'unsold';
    r.fills := '{}';
    r.dust := '{}';
    r.completes := false;
    r.stopped := 'The raise has no more units';
    f.organisation := t.issuer;
    f.owner := t.issuer;
    f.price := t.offer;
    f.units := least(o.tokens, public.for_sale(t));
    v_value := t.offer * f.units;
    IF v_value < t.minor THEN
        IF f.units = o.tokens THEN
            r.stopped := 'The rest is worth nothing';
        END IF;
        RETURN r;
    END IF;
    f.taker_value := public.order_value('Buy', v_value, t.minor);
    f.taker_fee := public.order_total('Buy', v_value, o.fee_percent, t.minor) - f.taker_value;
    f.maker_value := f.taker_value;
    f.maker_fee := 0;
    f.fulfilled := false;
    f.seq := nextval('public.orders_seq');
    f.trade := public.nth_id(p_stem, '2', f.seq);
    f.taker := o.id;
    r.fills := ARRAY[f];
    -- The raise is complete when less than the minimum purchase is left.
    t.needed := t.needed - f.taker_value;
    t.unsold := t.unsold - f.units;
    v_left := t.offer * public.for_sale(t);
    r.completes := v_left < t.minor OR public.round_half_even(v_left, t.decimals) < t.smallest;
    RETURN r;
END $$;

-- Units still for sale in a raise, limited by the money it still needs. (`div` truncates exactly,
-- whereas `/` could already round the last decimal.)
CREATE FUNCTION for_sale(t order_terms) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
    RETURN least(t.unsold, div(t.needed * 100000000, t.offer) * 0.00000001);
END $$;
