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

-- Opens what is missing, always in the same order, then locks every account that moves, and sees
-- whether the owner can pay for, or deliver, all of the order.
CREATE OR REPLACE FUNCTION lock_accounts_of_order(o orders_order, t order_terms, m order_match)
RETURNS order_accounts LANGUAGE plpgsql AS $$
DECLARE
    r order_accounts;
    f order_fill;
    s record;
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
    -- What `close_order` will move of makers whose rest is worth nothing, and `complete_raise` of
    -- the issuer's. Both lock again what is locked here, so neither ever waits: an order waits for
    -- accounts in this one place, in the order of their ids, and takes part in no deadlock.
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
        r.roles := ARRAY(
            SELECT (SELECT a.id FROM public.wallets_account a
                    WHERE a.owner_id = x.owner AND a.asset_id = x.asset AND a.kind = x.kind)
            FROM unnest(v_owners, v_assets, v_kinds) x (owner, asset, kind));
        EXIT WHEN array_position(r.roles, NULL) IS NULL;
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
    SELECT array_agg(a.id), array_agg(a.balance) INTO r.ids, r.balances FROM (
        SELECT id, balance FROM public.wallets_account
        WHERE id = ANY (r.roles) ORDER BY id FOR NO KEY UPDATE
    ) a;
    v_available := r.balances[array_position(r.ids, r.roles[1])];
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
    RETURN r;
END $$;

-- Moves units and money of every fill, and reserves the rest. A transfer has the id of the trade
-- or the order it is for.
CREATE OR REPLACE FUNCTION settle_order(
    o orders_order, t order_terms, p_fills order_fill[], a order_accounts, p_ids uuid[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    f order_fill;
    buys boolean := o.type = 'Buy';
    v_fills integer := cardinality(p_fills);
    v_fees uuid;
    -- Roles of the accounts: where the rest is reserved, and the next fill's first.
    v_reserved integer := CASE WHEN v_fills > 0 THEN 3 ELSE 2 END;
    v_next integer := CASE WHEN o.status = 'Active' THEN v_reserved + 1 ELSE v_reserved END;
    v_taker_gives numeric;
    v_taker_gets numeric;
    v_maker_gives numeric;
    v_maker_gets numeric;
    v_transfers uuid[] := '{}';
    v_kinds text[] := '{}';
    v_references text[] := '{}';
    -- Legs.
    v_of uuid[] := '{}';
    v_accounts uuid[] := '{}';
    v_assets text[] := '{}';
    v_amounts numeric[] := '{}';
    v_balances numeric[] := '{}';
    v_at integer;
BEGIN
    IF v_fills > 0 THEN
        v_fees := public.account_of(NULL, t.currency, 'fees');
    END IF;
    FOR n IN 1..v_fills LOOP
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
        v_transfers := v_transfers || p_ids[n];
        v_kinds := v_kinds || CASE WHEN f.maker IS NULL THEN 'raise_sale' ELSE 'trade' END;
        v_references := v_references || ('trade:' || p_ids[n]);
        v_of := v_of || p_ids[n] || p_ids[n] || p_ids[n] || p_ids[n] || p_ids[n];
        v_accounts := v_accounts || a.roles[1] || a.roles[2]
            || a.roles[v_next] || a.roles[v_next + 1] || v_fees;
        v_assets := v_assets || t.gives || t.gets || t.gets || t.gives || t.currency;
        v_amounts := v_amounts || - v_taker_gives || v_taker_gets || - v_maker_gives
            || v_maker_gets
            || CASE WHEN buys THEN v_taker_gives - v_maker_gets
                    ELSE v_maker_gives - v_taker_gets END;
        v_next := v_next + 2;
    END LOOP;
    IF o.status = 'Active' THEN
        v_transfers := v_transfers || o.id;
        v_kinds := v_kinds || 'order_reserve'::text;
        v_references := v_references || ('order:' || o.id || ':reserve');
        v_of := v_of || o.id || o.id;
        v_accounts := v_accounts || a.roles[1] || a.roles[v_reserved];
        v_assets := v_assets || t.gives || t.gives;
        v_amounts := v_amounts || - o.reserved || o.reserved;
    ELSIF v_fills = 0 THEN
        RETURN;
    END IF;
    -- What each account comes to after each leg; the exchange's own keep no balance.
    FOR n IN 1..cardinality(v_accounts) LOOP
        v_at := array_position(a.ids, v_accounts[n]);
        IF v_at IS NOT NULL THEN
            a.balances[v_at] := a.balances[v_at] + v_amounts[n];
        END IF;
        v_balances := v_balances || a.balances[v_at];
    END LOOP;
    UPDATE public.wallets_account SET balance = x.balance
    FROM unnest(a.ids, a.balances) x (account, balance)
    WHERE id = x.account;
    INSERT INTO public.wallets_transfer
        (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
    SELECT x.id, x.kind, x.reference, x.id, o.placed_by, t.symbol, now(), 0
    FROM unnest(v_transfers, v_kinds, v_references) x (id, kind, reference);
    INSERT INTO public.wallets_entry
        (id, transfer_id, account_id, asset_id, amount, balance_after)
    SELECT p_ids[4 * v_fills + 2 + x.n], x.transfer, x.account, x.asset, x.amount, x.balance
    FROM unnest(v_of, v_accounts, v_assets, v_amounts, v_balances)
        WITH ORDINALITY x (transfer, account, asset, amount, balance, n)
    WHERE x.amount <> 0;
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
