-- Matching and settling, parts of `place_order`. All of it runs under the lock of the token.

-- What the incoming order `o` trades: its fills in price-time priority at the makers' prices,
-- makers whose rest is worth nothing, and why it stopped when that cancels its own rest. Nothing
-- is written.
CREATE OR REPLACE FUNCTION match_order(o orders_order, t order_terms) RETURNS order_match
LANGUAGE plpgsql AS $$
DECLARE
    r order_match;
    f order_fill;
    m record;
    v_left numeric := o.tokens;
    v_value numeric;
    v_book refcursor;
BEGIN
    IF NOT t.completed THEN
        RETURN public.buy_from_issuer(o, t);
    END IF;
    r.fills := '{}';
    r.dust := '{}';
    r.completes := false;
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
        -- Both sides are charged round(cumulative) - already charged.
        f.charged := public.round_half_even(f.filled_value, t.decimals);
        f.maker_value := f.charged - m.charged;
        f.taker_value := public.round_half_even(o.filled_value + v_value, t.decimals) - o.charged;
        IF f.maker_value = 0 OR f.taker_value = 0 THEN
            -- Less than the last decimal: the rest of whoever has no more than this is over.
            IF f.fulfilled THEN
                r.dust := r.dust || f;
                CONTINUE;
            END IF;
            r.stopped := 'The rest is worth nothing';
            EXIT;
        END IF;
        f.charged_fee := public.round_half_even(
            f.filled_value * m.fee_percent / 100, t.decimals);
        f.maker_fee := f.charged_fee - m.charged_fee;
        o.filled_value := o.filled_value + v_value;
        f.taker_fee := public.round_half_even(o.filled_value * o.fee_percent / 100, t.decimals)
            - o.charged_fee;
        o.charged := o.charged + f.taker_value;
        o.charged_fee := o.charged_fee + f.taker_fee;
        f.seq := nextval('public.orders_seq');
        v_left := v_left - f.units;
        r.fills := r.fills || f;
    END LOOP;
    CLOSE v_book;
    RETURN r;
END $$;

-- The same in a primary raise: as many units as it still has, at the offer. What is left of the
-- order is cancelled.
CREATE OR REPLACE FUNCTION buy_from_issuer(o orders_order, t order_terms) RETURNS order_match
LANGUAGE plpgsql AS $$
DECLARE
    r order_match;
    f order_fill;
    v_left numeric;
BEGIN
    SELECT balance INTO t.unsold FROM public.wallets_account
        WHERE owner_id = t.issuer AND asset_id = t.gets AND kind = 'unsold';
    r.fills := '{}';
    r.dust := '{}';
    r.completes := false;
    r.stopped := 'The raise has no more units';
    f.organisation := t.issuer;
    f.owner := t.issuer;
    f.price := t.offer;
    f.units := least(o.tokens, public.for_sale(t));
    f.taker_value := public.round_half_even(t.offer * f.units, t.decimals);
    IF f.taker_value = 0 THEN
        RETURN r;
    END IF;
    f.taker_fee := public.round_half_even(t.offer * f.units * o.fee_percent / 100, t.decimals);
    f.maker_value := f.taker_value;
    f.maker_fee := 0;
    f.fulfilled := false;
    f.seq := nextval('public.orders_seq');
    r.fills := ARRAY[f];
    -- The raise is complete when nobody could buy as much as the smallest purchase any more.
    t.needed := t.needed - f.taker_value;
    t.unsold := t.unsold - f.units;
    v_left := public.round_half_even(t.offer * public.for_sale(t), t.decimals);
    r.completes := v_left = 0 OR v_left < t.smallest;
    RETURN r;
END $$;

-- Units that are left in a raise, as far as it still needs money for them. (`div` cuts off
-- exactly, where `/` would have rounded the last decimal already.)
CREATE OR REPLACE FUNCTION for_sale(t order_terms) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
    RETURN least(t.unsold, div(t.needed * 100000000, t.offer) * 0.00000001);
END $$;

-- The accounts that the order moves, opened where one is missing, always in the same order: what its
-- owner gives from; then, with fills, where it gets; then, with a rest, where that is reserved; then
-- two for each fill: where its other side gives from, and where that gets. Refuses an order that its
-- owner cannot pay for, or deliver, in full.
CREATE OR REPLACE FUNCTION accounts_of_order(o orders_order, t order_terms, m order_match)
RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
    f order_fill;
    s record;
    v_roles uuid[];
    v_owners uuid[] := ARRAY[o.owner_id];
    v_assets text[] := ARRAY[t.gives];
    v_kinds text[] := ARRAY['available'];
    v_available numeric;
    v_needed numeric := o.tokens;
BEGIN
    IF cardinality(m.fills) > 0 THEN
        v_owners := v_owners || o.owner_id;
        v_assets := v_assets || t.gets;
        v_kinds := v_kinds || 'available'::text;
    END IF;
    IF o.status = 'Active' THEN
        v_owners := v_owners || o.owner_id;
        v_assets := v_assets || t.gives;
        v_kinds := v_kinds || 'reserved'::text;
    END IF;
    FOREACH f IN ARRAY m.fills LOOP
        v_owners := v_owners || f.owner || f.owner;
        v_assets := v_assets || t.gets || t.gives;
        v_kinds := v_kinds || CASE WHEN t.completed THEN 'reserved' ELSE 'unsold' END
            || CASE WHEN t.completed THEN 'available' ELSE 'raise' END;
    END LOOP;
    -- What `close_order` will move of makers whose rest is worth nothing, and `complete_raise` of the
    -- issuer's, besides what the order moves itself.
    FOREACH f IN ARRAY m.dust LOOP
        v_owners := v_owners || f.owner || f.owner;
        v_assets := v_assets || t.gets || t.gets;
        v_kinds := v_kinds || 'reserved'::text || 'available'::text;
    END LOOP;
    IF m.completes THEN
        v_owners := v_owners || t.issuer || t.issuer;
        v_assets := v_assets || t.gets || t.gives;
        v_kinds := v_kinds || 'available'::text || 'available'::text;
    END IF;
    LOOP
        SELECT array_agg(a.id ORDER BY x.n), max(a.balance) FILTER (WHERE x.n = 1)
            INTO v_roles, v_available
            FROM unnest(v_owners, v_assets, v_kinds) WITH ORDINALITY x (owner, asset, kind, n)
            LEFT JOIN public.wallets_account a
                ON a.owner_id = x.owner AND a.asset_id = x.asset AND a.kind = x.kind;
        EXIT WHEN array_position(v_roles, NULL) IS NULL;
        FOR s IN
            SELECT DISTINCT x.owner, x.asset, x.kind, y.organisation, y.member
            FROM unnest(v_owners, v_assets, v_kinds) x (owner, asset, kind)
            JOIN (
                SELECT o.owner_id AS owner, o.organisation_id AS organisation,
                       o.member_id AS member
                UNION
                SELECT z.owner, z.organisation, z.member FROM unnest(m.fills || m.dust) z
            ) y ON y.owner = x.owner
            ORDER BY x.owner, x.asset, x.kind
        LOOP
            PERFORM public.open_account(
                public.new_id(), s.asset, s.kind, s.organisation, s.member);
        END LOOP;
    END LOOP;
    IF m.completes OR cardinality(m.dust) > 0 THEN
        -- `close_order` and `complete_raise` lock again what is locked here, so neither ever waits.
        PERFORM FROM public.wallets_account
            WHERE id = ANY (v_roles) ORDER BY id FOR NO KEY UPDATE;
    END IF;
    IF o.type = 'Buy' THEN
        v_needed := o.amount
            + public.round_half_even(o.price * o.tokens * o.fee_percent / 100, t.decimals);
    END IF;
    IF v_available < v_needed THEN
        PERFORM public.refuse_order(
            CASE WHEN o.type = 'Buy' THEN 'insufficient_balance' ELSE 'insufficient_units' END,
            format('{"available":%s,"requested":%s,"currency":"%s"}',
                   trim_scale(v_available), trim_scale(v_needed), t.currency));
    END IF;
    RETURN v_roles;
END $$;

-- Moves units and money of every fill, and reserves the rest. A transfer has the id of the trade
-- (`p_trades`, one for each fill) or the order it is for.
--
-- An order waits for accounts in this one place, in the order of their ids, and so takes part in no
-- deadlock of orders. What was available when `accounts_of_order` looked may be gone by now: then
-- account_balance_not_negative refuses, and the order is placed anew, to be told so properly.
CREATE OR REPLACE FUNCTION settle_order(
    o orders_order, t order_terms, p_fills order_fill[], p_accounts uuid[], p_trades uuid[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    f order_fill;
    buys boolean := o.type = 'Buy';
    v_fees uuid := public.account_of(NULL, t.currency, 'fees');
    -- Of the accounts, the next fill's first.
    v_next integer := CASE WHEN o.status = 'Active' THEN 4 ELSE 3 END;
    v_taker_gives numeric;
    v_taker_gets numeric;
    v_maker_gives numeric;
    v_maker_gets numeric;
    v_transfers uuid[] := p_trades;
    v_kind text;
    -- Legs.
    v_of uuid[] := '{}';
    v_accounts uuid[] := '{}';
    v_assets text[] := '{}';
    v_amounts numeric[] := '{}';
BEGIN
    FOR n IN 1..cardinality(p_fills) LOOP
        f := p_fills[n];
        IF buys THEN
            v_taker_gives := f.taker_value + f.taker_fee;
            v_taker_gets := f.units;
            v_maker_gives := f.units;
            v_maker_gets := f.maker_value - f.maker_fee;
        ELSE
            v_taker_gives := f.units;
            v_taker_gets := f.taker_value - f.taker_fee;
            v_maker_gives := f.maker_value + f.maker_fee;
            v_maker_gets := f.units;
        END IF;
        v_of := v_of || array_fill(p_trades[n], ARRAY[5]);
        v_accounts := v_accounts || ARRAY[
            p_accounts[1], p_accounts[2], p_accounts[v_next], p_accounts[v_next + 1], v_fees];
        v_assets := v_assets || ARRAY[t.gives, t.gets, t.gets, t.gives, t.currency];
        v_amounts := v_amounts || ARRAY[
            - v_taker_gives, v_taker_gets, - v_maker_gives, v_maker_gets,
            CASE WHEN buys THEN v_taker_gives - v_maker_gets
                 ELSE v_maker_gives - v_taker_gets END];
        v_next := v_next + 2;
    END LOOP;
    v_kind := CASE WHEN f.maker IS NULL THEN 'raise_sale' ELSE 'trade' END;
    IF o.status = 'Active' THEN
        v_transfers := v_transfers || o.id;
        v_of := v_of || ARRAY[o.id, o.id];
        v_accounts := v_accounts || ARRAY[p_accounts[1], p_accounts[3]];
        v_assets := v_assets || ARRAY[t.gives, t.gives];
        v_amounts := v_amounts || ARRAY[- o.reserved, o.reserved];
    END IF;
    WITH transfer AS (
        INSERT INTO public.wallets_transfer
            (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
        SELECT x.id, CASE WHEN x.id = o.id THEN 'order_reserve' ELSE v_kind END,
               CASE WHEN x.id = o.id THEN 'order:' || x.id || ':reserve' ELSE 'trade:' || x.id END,
               x.id, o.placed_by, t.symbol, now(), 0
        FROM unnest(v_transfers) x (id)
    ), leg AS (
        SELECT * FROM unnest(v_of, v_accounts, v_assets, v_amounts)
            WITH ORDINALITY x (transfer, account, asset, amount, n)
        WHERE amount <> 0
    ), changed AS (
        -- The exchange's own accounts keep no balance.
        UPDATE public.wallets_account a SET balance = a.balance + x.amount
        FROM (
            SELECT account, sum(amount) AS amount FROM leg GROUP BY account ORDER BY account
        ) x
        WHERE a.id = x.account AND a.balance IS NOT NULL
        RETURNING a.id, a.balance
    ), entry AS MATERIALIZED (
        SELECT leg.transfer, leg.account, leg.asset, leg.amount,
               -- What the account came to, less what later legs moved.
               changed.balance - coalesce(sum(leg.amount) OVER (
                   PARTITION BY leg.account ORDER BY leg.n
                   ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0) AS balance
        FROM leg LEFT JOIN changed ON changed.id = leg.account
        ORDER BY leg.n
    )
    INSERT INTO public.wallets_entry
        (id, transfer_id, account_id, asset_id, amount, balance_after)
    SELECT public.new_id(), transfer, account, asset, amount, balance FROM entry;
END $$;

-- The same of an order that met nobody: all of it is reserved.
CREATE OR REPLACE FUNCTION reserve_order(o orders_order, t order_terms, p_accounts uuid[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH transfer AS (
        INSERT INTO public.wallets_transfer
            (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
        VALUES (o.id, 'order_reserve', 'order:' || o.id || ':reserve', o.id, o.placed_by,
                t.symbol, now(), 0)
    ), changed AS (
        UPDATE public.wallets_account a SET balance = a.balance + x.amount
        FROM (VALUES (p_accounts[1], - o.reserved), (p_accounts[2], o.reserved) ORDER BY 1)
            x (account, amount)
        WHERE a.id = x.account
        RETURNING a.id, x.amount, a.balance
    )
    INSERT INTO public.wallets_entry
        (id, transfer_id, account_id, asset_id, amount, balance_after)
    SELECT public.new_id(), o.id, id, t.gives, amount, balance FROM changed;
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
