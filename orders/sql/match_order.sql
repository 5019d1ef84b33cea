-- Matching and settling, parts of `place_order`. All of it runs under the lock of the token.

-- What the incoming order `o` trades: its fills in price-time priority at the makers' prices,
-- makers whose rest is worth nothing, and why it stopped when that cancels its own rest. `taker`
-- is `o` with the fills counted. Nothing is written.
CREATE OR REPLACE FUNCTION match_order(
    o orders_order, t exchange_token, p_decimals integer,
    OUT fills order_fill[], OUT dust uuid[], OUT stopped text, OUT taker orders_order
) LANGUAGE plpgsql AS $$
DECLARE
    f order_fill;
    m orders_order;
    v_left numeric := o.tokens;
    v_book refcursor;
BEGIN
    fills := '{}';
    dust := '{}';
    taker := o;
    IF NOT t.completed_raise THEN
        stopped := 'The raise has no more units';
        f.units := least(
            v_left,
            trunc((t.raise_amount - t.total_raised) / t.price_buy, 8),
            (SELECT balance FROM public.wallets_account
             WHERE owner_id = t.issuer_id AND asset_id = t.id::text AND kind = 'unsold'));
        f := public.charge_fill(f, taker, t.price_buy, p_decimals);
        IF f.units > 0 AND f.taker_value > 0 THEN
            fills := ARRAY[f];
            taker := public.with_fill(taker, f.price, f.units, f.taker_value, f.taker_fee);
        END IF;
        RETURN;
    END IF;
    IF o.type = 'Buy' THEN
        OPEN v_book FOR SELECT * FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Sell' AND status = 'Active'
                AND price <= o.price
            ORDER BY price, seq;
    ELSE
        OPEN v_book FOR SELECT * FROM public.orders_order
            WHERE token_id = o.token_id AND type = 'Buy' AND status = 'Active'
                AND price >= o.price
            ORDER BY price DESC, seq;
    END IF;
    WHILE v_left > 0 LOOP
        FETCH v_book INTO m;
        EXIT WHEN NOT FOUND;
        IF m.owner_id = o.owner_id THEN
            stopped := 'It met an order of its own owner';
            EXIT;
        END IF;
        f := NULL;
        f.maker := m;
        f.units := least(v_left, m.tokens - m.filled);
        f := public.charge_fill(f, taker, m.price, p_decimals);
        IF f.maker_value = 0 OR f.taker_value = 0 THEN
            -- Less than the last decimal: the rest of whoever has no more than this is over.
            IF f.units = m.tokens - m.filled THEN
                dust := dust || m.id;
                CONTINUE;
            END IF;
            stopped := 'The rest is worth nothing';
            EXIT;
        END IF;
        fills := fills || f;
        taker := public.with_fill(taker, f.price, f.units, f.taker_value, f.taker_fee);
        v_left := v_left - f.units;
    END LOOP;
    CLOSE v_book;
END $$;

-- `f` at `p_price` with what both sides are charged: round(cumulative) - already charged.
CREATE OR REPLACE FUNCTION charge_fill(
    f order_fill, p_taker orders_order, p_price numeric, p_decimals integer
) RETURNS order_fill LANGUAGE plpgsql AS $$
DECLARE
    v_value numeric := p_price * f.units;
    m orders_order := f.maker;
BEGIN
    f.trade := public.new_id();
    f.price := p_price;
    f.taker_value := public.round_half_even(p_taker.filled_value + v_value, p_decimals)
        - p_taker.charged;
    f.taker_fee := public.round_half_even(
        (p_taker.filled_value + v_value) * p_taker.fee_percent / 100, p_decimals)
        - p_taker.charged_fee;
    IF m.id IS NULL THEN
        f.maker_value := f.taker_value;
        f.maker_fee := 0;
    ELSE
        f.maker_value := public.round_half_even(m.filled_value + v_value, p_decimals) - m.charged;
        f.maker_fee := public.round_half_even(
            (m.filled_value + v_value) * m.fee_percent / 100, p_decimals) - m.charged_fee;
    END IF;
    RETURN f;
END $$;

CREATE OR REPLACE FUNCTION with_fill(
    o orders_order, p_price numeric, p_units numeric, p_value numeric, p_fee numeric
) RETURNS orders_order LANGUAGE plpgsql AS $$
BEGIN
    o.filled := o.filled + p_units;
    o.filled_value := o.filled_value + p_price * p_units;
    o.charged := o.charged + p_value;
    o.charged_fee := o.charged_fee + p_fee;
    RETURN o;
END $$;

-- Opens what is missing, always in the same order, then locks every account that may move.
CREATE OR REPLACE FUNCTION lock_accounts_of_order(
    o orders_order, t exchange_token, p_fills order_fill[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    w record;
    v_ids uuid[] := '{}';
    v_id uuid;
BEGIN
    FOR w IN
        SELECT organisation, member, asset, kind FROM (
            SELECT o.organisation_id AS organisation, o.member_id AS member, o.owner_id AS owner,
                   a.asset, a.kind
            FROM (VALUES
                (t.currency_id::text, 'available'), (t.id::text, 'available'),
                (CASE WHEN o.type = 'Buy' THEN t.currency_id::text ELSE t.id::text END, 'reserved')
            ) a (asset, kind)
            WHERE a.kind = 'available' OR o.filled < o.tokens
            UNION
            SELECT (f.maker).organisation_id, (f.maker).member_id, (f.maker).owner_id,
                   a.asset, a.kind
            FROM unnest(p_fills) f CROSS JOIN (VALUES
                (t.currency_id::text, 'available'), (t.id::text, 'available'),
                (CASE WHEN o.type = 'Buy' THEN t.id::text ELSE t.currency_id::text END, 'reserved')
            ) a (asset, kind)
            WHERE (f.maker).id IS NOT NULL
            UNION
            SELECT t.issuer_id, NULL, t.issuer_id, a.asset, a.kind
            FROM unnest(p_fills) f CROSS JOIN (VALUES
                (t.currency_id::text, 'raise'), (t.id::text, 'unsold')) a (asset, kind)
            WHERE (f.maker).id IS NULL
        ) x ORDER BY owner, asset, kind
    LOOP
        v_id := public.open_account(public.new_id(), w.asset, w.kind, w.organisation, w.member);
        v_ids := v_ids || v_id;
    END LOOP;
    PERFORM 1 FROM public.wallets_account WHERE id = ANY (v_ids) ORDER BY id FOR NO KEY UPDATE;
END $$;

-- The account of an owner (NULL: the exchange itself).
CREATE OR REPLACE FUNCTION account_of(p_owner uuid, p_asset text, p_kind text) RETURNS uuid
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF p_owner IS NULL THEN
        RETURN (SELECT id FROM public.wallets_account
                WHERE owner_id IS NULL AND asset_id = p_asset AND kind = p_kind);
    END IF;
    RETURN (SELECT id FROM public.wallets_account
            WHERE owner_id = p_owner AND asset_id = p_asset AND kind = p_kind);
END $$;

-- Posts a transfer of the legs whose amount is not zero.
CREATE OR REPLACE FUNCTION post_legs(
    p_kind text, p_reference text, p_subject uuid, p_actor text, p_memo text,
    p_accounts uuid[], p_amounts numeric[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_accounts uuid[];
    v_amounts numeric[];
    v_ids uuid[];
BEGIN
    SELECT array_agg(account), array_agg(amount), array_agg(public.new_id())
        INTO v_accounts, v_amounts, v_ids
        FROM unnest(p_accounts, p_amounts) l (account, amount) WHERE amount <> 0;
    IF v_ids IS NOT NULL THEN
        PERFORM public.post_transfer(public.new_id(), p_kind, p_reference, p_subject, p_actor,
                                     p_memo, v_ids, v_accounts, v_amounts);
    END IF;
END $$;

-- Moves units and money of one fill, and counts it on the maker.
CREATE OR REPLACE FUNCTION settle_fill(o orders_order, t exchange_token, f order_fill)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    m orders_order := f.maker;
    v_units text := t.id::text;
    v_money text := t.currency_id;
    v_fees uuid := public.account_of(NULL, t.currency_id, 'fees');
    v_freed numeric;
BEGIN
    IF m.id IS NULL THEN
        PERFORM public.post_legs('raise_sale', 'trade:' || f.trade, f.trade, o.placed_by, t.symbol,
            ARRAY[public.account_of(o.owner_id, v_money, 'available'),
                  public.account_of(t.issuer_id, v_money, 'raise'),
                  v_fees,
                  public.account_of(t.issuer_id, v_units, 'unsold'),
                  public.account_of(o.owner_id, v_units, 'available')],
            ARRAY[-f.taker_value - f.taker_fee, f.taker_value, f.taker_fee, -f.units, f.units]);
        RETURN;
    END IF;
    IF o.type = 'Buy' THEN
        v_freed := f.units;
        PERFORM public.post_legs('trade', 'trade:' || f.trade, f.trade, o.placed_by, t.symbol,
            ARRAY[public.account_of(o.owner_id, v_money, 'available'),
                  public.account_of(m.owner_id, v_money, 'available'),
                  v_fees,
                  public.account_of(m.owner_id, v_units, 'reserved'),
                  public.account_of(o.owner_id, v_units, 'available')],
            ARRAY[-f.taker_value - f.taker_fee, f.maker_value - f.maker_fee,
                  f.taker_value - f.maker_value + f.taker_fee + f.maker_fee,
                  -f.units, f.units]);
    ELSE
        v_freed := f.maker_value + f.maker_fee;
        PERFORM public.post_legs('trade', 'trade:' || f.trade, f.trade, o.placed_by, t.symbol,
            ARRAY[public.account_of(m.owner_id, v_money, 'reserved'),
                  public.account_of(o.owner_id, v_money, 'available'),
                  v_fees,
                  public.account_of(o.owner_id, v_units, 'available'),
                  public.account_of(m.owner_id, v_units, 'available')],
            ARRAY[-v_freed, f.taker_value - f.taker_fee,
                  f.maker_value - f.taker_value + f.taker_fee + f.maker_fee,
                  -f.units, f.units]);
    END IF;
    m := public.with_fill(m, f.price, f.units, f.maker_value, f.maker_fee);
    UPDATE public.orders_order SET
        filled = m.filled, filled_value = m.filled_value, charged = m.charged,
        charged_fee = m.charged_fee, reserved = reserved - v_freed,
        status = CASE WHEN m.filled = m.tokens THEN 'Fulfilled' ELSE 'Active' END,
        closed_at = CASE WHEN m.filled = m.tokens THEN o.created_at END,
        updated_at = o.created_at
    WHERE id = m.id;
END $$;

-- `o` as it stands after its fills: fulfilled, its rest cancelled, or its rest reserved.
CREATE OR REPLACE FUNCTION reserve_rest(
    o orders_order, t exchange_token, p_decimals integer, p_stopped text
) RETURNS orders_order LANGUAGE plpgsql AS $$
DECLARE
    v_full numeric := o.filled_value + o.price * (o.tokens - o.filled);
    v_value numeric := public.round_half_even(v_full, p_decimals) - o.charged;
    v_asset text := CASE WHEN o.type = 'Buy' THEN t.currency_id ELSE t.id::text END;
BEGIN
    IF o.filled = o.tokens THEN
        o.status := 'Fulfilled';
    ELSIF p_stopped IS NOT NULL THEN
        o.status := 'Cancelled';
        o.reason := p_stopped;
    ELSIF v_value = 0 THEN
        o.status := 'Cancelled';
        o.reason := 'The rest is worth nothing';
    ELSE
        o.reserved := CASE WHEN o.type = 'Buy'
            THEN v_value + public.round_half_even(v_full * o.fee_percent / 100, p_decimals)
                - o.charged_fee
            ELSE o.tokens - o.filled END;
        PERFORM public.post_legs('order_reserve', 'order:' || o.id || ':reserve', o.id,
            o.placed_by, t.symbol,
            ARRAY[public.account_of(o.owner_id, v_asset, 'available'),
                  public.account_of(o.owner_id, v_asset, 'reserved')],
            ARRAY[-o.reserved, o.reserved]);
    END IF;
    IF o.status <> 'Active' THEN
        o.closed_at := o.created_at;
    END IF;
    RETURN o;
END $$;

-- Writes the trade of one fill and tells both sides.
CREATE OR REPLACE FUNCTION record_fill(o orders_order, f order_fill) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    buys boolean := o.type = 'Buy';
    m orders_order;
    v_trade text;
BEGIN
    INSERT INTO public.orders_trade
        (id, seq, token_id, buy_order_id, sell_order_id, taker, price, tokens, buyer_value,
         buyer_fee, seller_value, seller_fee, created_at)
    VALUES (
        f.trade, nextval('public.orders_seq'), o.token_id,
        CASE WHEN buys THEN o.id ELSE (f.maker).id END,
        CASE WHEN buys THEN (f.maker).id ELSE o.id END, o.type, f.price, f.units,
        CASE WHEN buys THEN f.taker_value ELSE f.maker_value END,
        CASE WHEN buys THEN f.taker_fee ELSE f.maker_fee END,
        CASE WHEN buys THEN f.maker_value ELSE f.taker_value END,
        CASE WHEN buys THEN f.maker_fee ELSE f.taker_fee END, o.created_at)
    RETURNING document INTO v_trade;
    PERFORM public.emit_event(public.new_id(), o.organisation_id, 'trade.created', f.trade,
        '{"trade":' || v_trade || ',"order":' || o.document || '}');
    IF (f.maker).id IS NOT NULL THEN
        SELECT * INTO m FROM public.orders_order WHERE id = (f.maker).id;
        PERFORM public.emit_event(public.new_id(), m.organisation_id, 'trade.created', f.trade,
            '{"trade":' || v_trade || ',"order":' || m.document || '}');
        PERFORM public.emit_order_end(m);
    END IF;
END $$;

-- Tells the owner that an order is over.
CREATE OR REPLACE FUNCTION emit_order_end(o orders_order) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF o.status <> 'Active' THEN
        PERFORM public.emit_event(public.new_id(), o.organisation_id,
            'order.' || lower(o.status), o.id,
            '{"order":' || o.document || ',"reason":'
            || coalesce(to_json(nullif(o.reason, ''))::text, 'null') || '}');
    END IF;
END $$;
