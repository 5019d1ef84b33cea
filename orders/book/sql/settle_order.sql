-- Ledger legs of an order, a part of `enter_orders`.

-- Finds the accounts of an order: its owner's, with fills also the receiving one and those of the makers, with
-- a remainder its reservation. Opens missing accounts.
CREATE FUNCTION accounts_to_move(o orders_order, t order_terms, m order_match)
RETURNS order_accounts LANGUAGE plpgsql AS $$
DECLARE
    f order_fill;
    s record;
    a order_accounts;
    v_roles text[] := '{gives}';
    v_owners uuid[] := ARRAY[o.owner_id];
    v_assets text[] := ARRAY[t.gives];
    v_kinds text[] := '{available}';
BEGIN
    IF cardinality(m.fills) > 0 THEN
        v_roles := v_roles || 'gets'::text;
        v_owners := v_owners || o.owner_id;
        v_assets := v_assets || t.gets;
        v_kinds := v_kinds || 'available'::text;
    END IF;
    IF o.status = 'Active' OR t.change IS NOT NULL THEN
        v_roles := v_roles || 'reserve'::text;
        v_owners := v_owners || o.owner_id;
        v_assets := v_assets || t.gives;
        v_kinds := v_kinds || 'reserved'::text;
    END IF;
    FOREACH f IN ARRAY m.fills LOOP
        v_roles := v_roles || '{maker gives,maker gets}'::text[];
        v_owners := v_owners || f.owner || f.owner;
        v_assets := v_assets || t.gets || t.gives;
        v_kinds := v_kinds || CASE WHEN t.completed THEN 'reserved' ELSE 'unsold' END
            || CASE WHEN t.completed THEN 'available' ELSE 'raise' END;
    END LOOP;
    -- Also the accounts that `close_order` will move for makers to be closed, and `complete_raise` for the
    -- issuer. They have no role here.
    FOREACH f IN ARRAY m.closing LOOP
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
        a := (
            SELECT public.order_accounts(
                gives => (array_agg(y.id) FILTER (WHERE x.role = 'gives'))[1],
                gets => (array_agg(y.id) FILTER (WHERE x.role = 'gets'))[1],
                reserve => (array_agg(y.id) FILTER (WHERE x.role = 'reserve'))[1],
                makers_give => array_agg(y.id ORDER BY x.n) FILTER (WHERE x.role = 'maker gives'),
                makers_get => array_agg(y.id ORDER BY x.n) FILTER (WHERE x.role = 'maker gets'),
                every => array_agg(y.id))
            FROM unnest(v_owners, v_assets, v_kinds, v_roles)
                WITH ORDINALITY x (owner, asset, kind, role, n)
            LEFT JOIN public.wallets_account y
                ON y.owner_id = x.owner AND y.asset_id = x.asset AND y.kind = x.kind);
        EXIT WHEN array_position(a.every, NULL) IS NULL;
        FOR s IN
            SELECT DISTINCT x.owner, x.asset, x.kind, y.organisation, y.member
            FROM unnest(v_owners, v_assets, v_kinds) x (owner, asset, kind)
            JOIN (
                SELECT o.owner_id AS owner, o.organisation_id AS organisation,
                       o.member_id AS member
                UNION
                SELECT z.owner, z.organisation, z.member FROM unnest(m.fills || m.closing) z
            ) y ON y.owner = x.owner
            ORDER BY x.owner, x.asset, x.kind
        LOOP
            PERFORM public.open_account(
                public.new_id(), s.asset, s.kind, s.organisation, s.member);
        END LOOP;
    END LOOP;
    IF m.completes OR cardinality(m.closing) > 0 THEN
        -- Locked here already, so that `close_order` and `complete_raise` never wait.
        PERFORM FROM public.wallets_account
            WHERE id = ANY (a.every) ORDER BY id FOR NO KEY UPDATE;
    END IF;
    RETURN a;
END $$;

-- Builds the legs of an order: units and money of every fill, and the reserved remainder. A transfer has
-- the id of its trade or order.
CREATE FUNCTION legs_of_order(
    o orders_order, t order_terms, p_fills order_fill[], a order_accounts
) RETURNS order_legs LANGUAGE plpgsql AS $$
DECLARE
    l order_legs;
    f order_fill;
    buys boolean := o.type = 'Buy';
    v_count integer := cardinality(p_fills);
    v_fees uuid;
    v_taker_gives numeric;
    v_taker_gets numeric;
    v_maker_gives numeric;
    v_maker_gets numeric;
BEGIN
    IF v_count > 0 THEN
        v_fees := public.account_of(NULL, t.currency, 'fees');
        l.kinds := l.kinds || array_fill(
            CASE WHEN t.completed THEN 'trade' ELSE 'raise_sale' END, ARRAY[v_count]);
        l.actors := l.actors || array_fill(o.placed_by::text, ARRAY[v_count]);
        l.memos := l.memos || array_fill(t.symbol, ARRAY[v_count]);
    END IF;
    FOR n IN 1..v_count LOOP
        f := p_fills[n];
        l.transfers := l.transfers || f.trade;
        l.refs := l.refs || ('trade:' || f.trade);
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
        l.leg_transfers := l.leg_transfers || array_fill(f.trade, ARRAY[5]);
        l.accounts := l.accounts
            || ARRAY[a.gives, a.gets, a.makers_give[n], a.makers_get[n], v_fees];
        l.amounts := l.amounts || ARRAY[
            - v_taker_gives, v_taker_gets, - v_maker_gives, v_maker_gets,
            CASE WHEN buys THEN v_taker_gives - v_maker_gets
                 ELSE v_maker_gives - v_taker_gets END];
    END LOOP;
    IF t.change IS NOT NULL THEN
        RETURN public.legs_of_amendment(l, o, t, a);
    END IF;
    IF o.status = 'Active' THEN
        RETURN public.joined_legs(l, public.legs_of_rest(o, t, a.gives, a.reserve));
    END IF;
    RETURN l;
END $$;

-- The legs that reserve the remainder of an order.
CREATE FUNCTION legs_of_rest(o orders_order, t order_terms, p_gives uuid, p_reserve uuid)
RETURNS order_legs LANGUAGE sql STABLE
RETURN public.order_legs(
    transfers => ARRAY[o.id], kinds => '{order_reserve}', refs => ARRAY['order:' || o.id || ':reserve'],
    actors => ARRAY[o.placed_by], memos => ARRAY[t.symbol], leg_transfers => ARRAY[o.id, o.id],
    accounts => ARRAY[p_gives, p_reserve], amounts => ARRAY[- o.reserved, o.reserved]);

-- The legs of the fills of an amended order, with one transfer of what its reservation grows or shrinks by. What
-- is released comes first, as it may pay for the fills.
CREATE FUNCTION legs_of_amendment(l order_legs, o orders_order, t order_terms, a order_accounts)
RETURNS order_legs LANGUAGE plpgsql AS $$
DECLARE
    v_more numeric := o.reserved - t.released;
    c order_legs;
BEGIN
    IF v_more = 0 THEN
        RETURN l;
    END IF;
    c := public.order_legs(
        transfers => ARRAY[t.change],
        kinds => ARRAY[CASE WHEN v_more > 0 THEN 'order_reserve' ELSE 'order_release' END],
        refs => ARRAY['order:' || o.id || ':amend:' || t.change], actors => ARRAY[o.placed_by],
        memos => ARRAY[t.symbol], leg_transfers => ARRAY[t.change, t.change],
        accounts => ARRAY[a.gives, a.reserve], amounts => ARRAY[- v_more, v_more]);
    c := CASE WHEN v_more > 0 THEN public.joined_legs(l, c) ELSE public.joined_legs(c, l) END;
    c.subjects := array_replace(c.transfers, t.change, o.id);
    RETURN c;
END $$;

-- The account of an owner (NULL: the exchange itself).
CREATE FUNCTION account_of(p_owner uuid, p_asset text, p_kind text) RETURNS uuid
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF p_owner IS NULL THEN
        RETURN (SELECT id FROM public.wallets_account
                WHERE owner_id IS NULL AND asset_id = p_asset AND kind = p_kind);
    END IF;
    RETURN (SELECT id FROM public.wallets_account
            WHERE owner_id = p_owner AND asset_id = p_asset AND kind = p_kind);
END $$;

-- Posts one transfer. Zero legs are dropped, and so is a transfer without any other leg.
CREATE FUNCTION post_legs(
    p_kind text, p_reference text, p_subject uuid, p_actor text, p_memo text,
    p_accounts uuid[], p_amounts numeric[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_id uuid := public.new_id();
BEGIN
    PERFORM public.post_transfers(
        ARRAY[v_id], ARRAY[p_kind], ARRAY[p_reference], ARRAY[p_subject], ARRAY[p_actor],
        ARRAY[p_memo], array_fill(v_id, ARRAY[cardinality(p_accounts)]), p_accounts, p_amounts);
END $$;
