-- Matching, a part of `enter_orders`, under the lock of the token. `p_stem` is the stem from which
-- `nth_id` makes ids: events are table 0, entries 1 and trades 2.

-- Matches the incoming order `o` in price-time priority at the makers' prices. Returns its fills, makers
-- to be closed (their remainder is dust, or they have expired), and the reason if its own remainder is
-- cancelled. An order for a sum of money buys what the sum pays for. Read-only.
CREATE FUNCTION match_order(o orders_order, t order_terms, p_stem text)
RETURNS order_match LANGUAGE plpgsql AS $$
DECLARE
    r order_match;
    f order_fill;
    m record;
    v_side text := CASE o.type WHEN 'Buy' THEN 'Sell' ELSE 'Buy' END;
    -- An order for a sum is limited by `affordable_units` alone.
    v_left numeric := CASE WHEN o.requested_amount IS NULL THEN o.tokens - o.filled ELSE 1e20 END;
    v_value numeric;
    v_book refcursor;
BEGIN
    IF NOT t.completed THEN
        RETURN public.buy_from_issuer(o, t, p_stem);
    END IF;
    r.fills := '{}';
    r.closing := '{}';
    r.completes := false;
    r.met := false;
    f.taker := o.id;
    IF o.type = 'Buy' THEN
        OPEN v_book FOR
            SELECT id, organisation_id, member_id, owner_id, price, tokens, filled, filled_value,
                   charged, charged_fee, fee_percent, expires_at
            FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Sell' AND status = 'Active'
                AND price <= o.price
            ORDER BY price, seq;
    ELSE
        OPEN v_book FOR
            SELECT id, organisation_id, member_id, owner_id, price, tokens, filled, filled_value,
                   charged, charged_fee, fee_percent, expires_at
            FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Buy' AND status = 'Active'
                AND price >= o.price
            ORDER BY price DESC, seq;
    END IF;
    WHILE v_left > 0 LOOP
        FETCH v_book INTO m;
        EXIT WHEN NOT FOUND;
        f.maker := m.id;
        f.organisation := m.organisation_id;
        f.member := m.member_id;
        f.owner := m.owner_id;
        f.expired := m.expires_at <= o.updated_at;
        IF f.expired THEN
            r.closing := r.closing || f;
            CONTINUE;
        END IF;
        r.met := true;
        IF m.owner_id = o.owner_id THEN
            r.stopped := 'self_trade';
            EXIT;
        END IF;
        f.price := m.price;
        f.units := least(v_left, m.tokens - m.filled, public.affordable_units(o, m.price));
        v_value := m.price * f.units;
        f.filled := m.filled + f.units;
        f.filled_value := m.filled_value + v_value;
        f.fulfilled := f.filled = m.tokens;
        IF v_value < t.minor THEN
            -- Dust, less than one minor unit: closes the order that has no more than this left.
            IF f.fulfilled THEN
                r.closing := r.closing || f;
                CONTINUE;
            END IF;
            r.stopped := 'worth_nothing';
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
    IF r.stopped IS NULL AND v_left > 0
        AND (v_left * o.price < t.minor OR o.time_in_force = 'IOC')
    THEN
        -- No fill of the remainder could be worth a minor unit, or it does not rest.
        r.stopped := CASE WHEN v_left * o.price < t.minor THEN 'worth_nothing' ELSE 'unfilled' END;
    END IF;
    RETURN r;
END $$;

-- The most units that the sum of an order still pays for at `p_price`, with the fee on all its fills; NULL if
-- it is not for a sum. (`div` truncates exactly.)
CREATE FUNCTION affordable_units(o orders_order, p_price numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE
RETURN div(
    (o.requested_amount * 100 - o.filled_value * (100 + o.fee_percent)) * 100000000,
    p_price * (100 + o.fee_percent)) * 0.00000001;

-- The limit price of a market order: the best opposite price of other owners (of the issuer in a primary
-- raise), less favourable by at most `collar` percent and within the band. NULL if nothing can be bought or
-- sold at that.
CREATE FUNCTION market_price(q order_request, t order_terms) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    v_owner uuid := coalesce(q.member, q.organisation);
    v_best numeric;
    v_limit numeric;
BEGIN
    IF q.type = 'Buy' THEN
        v_best := CASE WHEN NOT t.completed THEN t.offer ELSE (
            SELECT price FROM public.orders_order
            WHERE token_id = t.id AND type = 'Sell' AND status = 'Active' AND owner_id <> v_owner
                AND (expires_at > clock_timestamp()) IS NOT FALSE
            ORDER BY price, seq LIMIT 1) END;
        v_limit := greatest(
            v_best, public.round_down(v_best * (100 + q.collar) * 0.01, t.minor));
        IF t.highest > 0 THEN
            v_limit := least(v_limit, t.highest);
        END IF;
        RETURN CASE WHEN v_limit >= v_best THEN v_limit END;
    END IF;
    v_best := (
        SELECT price FROM public.orders_order
        WHERE token_id = t.id AND type = 'Buy' AND status = 'Active' AND owner_id <> v_owner
            AND (expires_at > clock_timestamp()) IS NOT FALSE
        ORDER BY price DESC, seq LIMIT 1);
    v_limit := least(
        v_best, greatest(t.minor, public.round_up(v_best * (100 - q.collar) * 0.01, t.minor)));
    IF t.lowest > 0 THEN
        v_limit := greatest(v_limit, t.lowest);
    END IF;
    RETURN CASE WHEN v_limit <= v_best THEN v_limit END;
END $$;

-- `match_order` in a primary raise: fills as many units as the raise still has, at the offer price. The
-- remainder is cancelled.
CREATE FUNCTION buy_from_issuer(o orders_order, t order_terms, p_stem text)
RETURNS order_match LANGUAGE plpgsql AS $$
DECLARE
    r order_match;
    f order_fill;
    v_wanted numeric;
    v_value numeric;
    v_left numeric;
BEGIN
    SELECT balance + coalesce(t.unsold, 0) INTO t.unsold FROM public.wallets_account
        WHERE owner_id = t.issuer AND asset_id = t.gets AND kind = 'unsold';
    r.fills := '{}';
    r.closing := '{}';
    r.completes := false;
    r.met := true;
    r.stopped := 'raise_sold_out';
    f.organisation := t.issuer;
    f.owner := t.issuer;
    f.price := t.offer;
    v_wanted := coalesce(public.affordable_units(o, t.offer), o.tokens);
    f.units := least(v_wanted, public.for_sale(t));
    v_value := t.offer * f.units;
    IF v_value < t.minor THEN
        IF f.units = v_wanted THEN
            r.stopped := 'worth_nothing';
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
