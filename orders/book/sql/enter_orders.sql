-- Enters orders for one token: one, or a batch that shares the locks of token and accounts and one
-- commit. For each order: claim the idempotency key; lock the token, check the order and match it against
-- the book or, in a primary raise, the issuer's unsold units (`plan_order`); write order, trades and
-- events (`write_order`); store the response. Then one call (`post_transfers`) settles every fill in the
-- ledger and reserves the remainders.
--
-- Every change of a book happens under the lock of its token, so price-time priority is exact. Everything
-- is planned first; accounts are changed last, all at once in id order.
--
-- After every fill, the total of an order equals that of a single fill of the same value, rounded against
-- its owner (order_rounding.sql); a fill charges new total less old total. The exchange keeps the
-- difference between buyer and seller.
--
-- A rejection raises SQLSTATE XO400 with the code as message and JSON as detail, and undoes the whole
-- batch. An order that requires further steps (closing a maker, completing a raise) ends the
-- batch: the orders after it are not returned and must be sent again.
--
-- An amendment (amend_order.sql) is a request of its own call. Its order takes the same path with what it has
-- filled, and its reservation changes by the difference.
--
-- The command does not declare this function (`Command.function_sql`), as others do: one function more for each
-- order, and its settings, cost a tenth of the processor time of an order.
--
-- The types are in order_types.sql.

-- Index scans only: plans are made once, possibly while the tables are still small.
CREATE FUNCTION enter_orders(
    p_requests jsonb, p_wait_ms integer, p_retention interval, p_status_code integer, p_message text
) RETURNS TABLE (id uuid, replayed boolean, status_code integer, message text, data text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    q order_request;
    p order_plan;
    l order_legs;
BEGIN
    PERFORM lock_owners(ARRAY(
        SELECT coalesce(r ->> 'member', r ->> 'organisation')::uuid
        FROM jsonb_array_elements(p_requests) r));
    FOR n IN 0 .. jsonb_array_length(p_requests) - 1 LOOP
        q := jsonb_populate_record(NULL::order_request, p_requests -> n);
        id := q.id;
        IF q.key IS NOT NULL THEN
            SELECT true, c.status_code, c.message, c.data INTO replayed, status_code, message, data
                FROM claim_idempotency_key(
                    q.organisation, q.method, q.path, q.key, q.body_hash, p_wait_ms, p_retention) c;
            IF status_code IS NOT NULL THEN
                RETURN NEXT;
                CONTINUE;
            END IF;
        END IF;

        p := plan_order(q, l);
        -- Under the lock, so that ids of a book follow the order of placement.
        data := write_order(p.o, p.fills, id_stem(q.id), q.amends IS NOT NULL);
        replayed := false;
        status_code := p_status_code;
        message := p_message;
        IF q.key IS NOT NULL THEN
            PERFORM store_idempotent_response(
                q.organisation, q.method, q.path, q.key, status_code, message, data);
        END IF;
        RETURN NEXT;
        l := CASE WHEN l.transfers IS NULL THEN p.legs ELSE joined_legs(l, p.legs) END;
        EXIT WHEN p.completes OR cardinality(p.closing) > 0;
    END LOOP;

    IF (p.o).id IS NOT NULL THEN
        -- `raise_book_sequence`, without a call.
        UPDATE orders_booksequence SET seq = seq + 1 WHERE token_id = q.token;
        IF NOT FOUND THEN
            PERFORM raise_book_sequence(q.token);
        END IF;
    END IF;
    IF l.transfers IS NOT NULL THEN
        -- The only place where orders wait for accounts, in id order, so orders cannot deadlock. If a
        -- balance was spent since `plan_order` read it, account_balance_not_negative fails and the
        -- order is placed again, to get the proper error.
        PERFORM post_transfers(
            p_transfers => l.transfers, p_kinds => l.kinds, p_references => l.refs,
            p_subjects => coalesce(l.subjects, l.transfers), p_actors => l.actors, p_memos => l.memos,
            p_leg_transfers => l.leg_transfers, p_accounts => l.accounts, p_amounts => l.amounts);
    END IF;
    IF cardinality(p.closing) > 0 THEN
        PERFORM close_order(
            c.maker, CASE WHEN c.expired THEN 'expired' ELSE 'worth_nothing' END, q.actor)
        FROM unnest(p.closing) c;
    END IF;
    IF p.completes THEN
        PERFORM pay_out_raise(q.token, q.actor);
    END IF;
END $$;
REVOKE ALL ON FUNCTION enter_orders FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enter_orders TO exchange_runtime;

CREATE FUNCTION joined_legs(a order_legs, b order_legs) RETURNS order_legs
LANGUAGE sql IMMUTABLE
RETURN public.order_legs(
    transfers => a.transfers || b.transfers, kinds => a.kinds || b.kinds, refs => a.refs || b.refs,
    actors => a.actors || b.actors, memos => a.memos || b.memos,
    leg_transfers => a.leg_transfers || b.leg_transfers, accounts => a.accounts || b.accounts,
    amounts => a.amounts || b.amounts);

-- Plans an order: locks its token, checks and matches it. Opens missing accounts and writes nothing
-- else. `p_before` are the legs of orders entered earlier in the same call.
--
-- PL/pgSQL prepares every expression anew in each transaction, so a few long ones are cheaper than many
-- short ones. SQL functions are inlined.
CREATE FUNCTION plan_order(q order_request, p_before order_legs) RETURNS order_plan
LANGUAGE plpgsql AS $$
DECLARE
    buys boolean := q.type = 'Buy';
    t order_terms;
    o orders_order;
    m order_match;
    f order_fill;
    v_rules text[];
    v_needs numeric;
BEGIN
    FOR n IN 1..2 LOOP
        t := (
            SELECT public.order_terms(
                id => x.id, symbol => x.symbol, issuer => x.issuer_id, currency => x.currency_id,
                gives => CASE WHEN buys THEN x.currency_id ELSE x.id::text END,
                gets => CASE WHEN buys THEN x.id::text ELSE x.currency_id END,
                decimals => c.decimals, minor => 10::numeric ^ -c.decimals::numeric,
                fee => CASE WHEN buys THEN x.buy_fee ELSE x.sell_fee END,
                lowest => CASE WHEN buys THEN x.min_buy ELSE x.min_sell END,
                highest => CASE WHEN buys THEN x.max_buy ELSE x.max_sell END,
                "least" => CASE WHEN buys THEN x.min_trade_buy ELSE x.min_trade_sell END,
                most => CASE WHEN buys THEN x.max_trade_buy ELSE x.max_trade_sell END,
                cancelled => x.cancelled, exited => x.exited, closed => x.closed,
                halted => x.halted_at IS NOT NULL,
                secondaries => x.secondaries, completed => x.completed_raise,
                offer => x.price_buy, needed => x.raise_amount - x.total_raised,
                smallest => x.min_trade_buy,
                next_record => x.next_record_at, units_held => x.units_held,
                visible => x.deal_access = 'Public' OR public.token_visible(x, q.organisation),
                -- An account shows an active member of the organisation without reading the member.
                member_refusal => CASE
                    WHEN q.member IS NOT NULL
                        AND (a.member_id = q.member AND a.organisation_id = q.organisation
                            AND NOT a.closed) IS NOT TRUE
                    THEN public.member_refusal(q.organisation, q.member) END,
                block => public.owner_block(q.organisation, q.member, x.currency_id),
                account => a.id, available => a.balance, reserve => z.id)
            FROM public.exchange_token x JOIN public.exchange_currency c ON c.code = x.currency_id
            LEFT JOIN public.wallets_account a ON a.owner_id = coalesce(q.member, q.organisation)
                AND a.asset_id = CASE WHEN buys THEN x.currency_id ELSE x.id::text END
                AND a.kind = 'available'
            LEFT JOIN public.wallets_account z ON z.owner_id = a.owner_id
                AND z.asset_id = a.asset_id AND z.kind = 'reserved'
            WHERE x.id = q.token
            FOR NO KEY UPDATE OF x SKIP LOCKED);
        EXIT WHEN t.id IS NOT NULL;
        -- Locked or missing. Waits in a separate statement, so that the next read sees what earlier
        -- transactions committed.
        PERFORM FROM public.exchange_token WHERE id = q.token FOR NO KEY UPDATE;
    END LOOP;
    IF t.id IS NULL OR NOT t.visible THEN
        v_rules := '{token_not_found}';
    ELSE
        IF p_before.accounts IS NOT NULL THEN
            t.available := t.available + public.moved_before(p_before, t.account);
            IF NOT t.completed THEN
                t.unsold := public.moved_before(
                    p_before, public.account_of(t.issuer, t.gets, 'unsold'));
            END IF;
        END IF;
        IF q.order_type = 'market' THEN
            q.price := public.market_price(q, t);
        END IF;
        IF q.amends IS NULL THEN
            o := public.new_order(q, t);
        ELSE
            o := public.order_to_amend(q, t);
            t.change := q.id;
            t.released := o.reserved;
            t.available := t.available + o.reserved;
            o := public.amended_order(o, q, t);
        END IF;
        v_rules := public.broken_rules(q, o, t);
    END IF;
    IF cardinality(v_rules) > 0 THEN
        IF q.preview THEN
            -- In a raise only the issuer sells, and no order is post-only anyway.
            IF o.price IS NOT NULL AND (t.completed OR o.type = 'Buy' AND NOT o.post_only) THEN
                v_rules := v_rules
                    || public.unmet_kind(o, public.match_order(o, t, public.id_stem(q.id)));
            END IF;
            RETURN public.order_plan(
                o => o, fills => '{}', needs => o.reserved, rules => v_rules,
                details => ARRAY(SELECT public.rule_detail(r, o, t) FROM unnest(v_rules) r));
        END IF;
        PERFORM public.refuse_order(v_rules[1], public.rule_detail(v_rules[1], o, t));
    END IF;

    m := public.match_order(o, t, public.id_stem(q.id));
    IF cardinality(m.fills) > 0 OR m.stopped IS NOT NULL OR o.time_in_force = 'FOK'
        OR o.post_only AND m.met
    THEN
        v_needs := o.reserved;
        IF o.post_only OR o.time_in_force = 'FOK' THEN
            v_rules := public.unmet_kind(o, m);
            IF cardinality(v_rules) > 0 AND q.preview IS NOT TRUE THEN
                PERFORM public.refuse_order(v_rules[1]);
            END IF;
        END IF;
        FOREACH f IN ARRAY m.fills LOOP
            o.filled := o.filled + f.units;
            o.filled_value := o.filled_value + f.price * f.units;
            o.charged := o.charged + f.taker_value;
            o.charged_fee := o.charged_fee + f.taker_fee;
        END LOOP;
        IF o.requested_amount IS NOT NULL AND o.filled > 0 THEN
            -- It bought what its sum paid for.
            o.tokens := o.filled;
            o.amount := public.round_half_even(o.price * o.tokens, t.decimals);
        END IF;
        o := public.end_or_reserve(o, t, m.stopped);
    END IF;
    RETURN public.order_plan(
        needs => coalesce(v_needs, o.reserved), rules => v_rules,
        o => o, fills => m.fills, closing => m.closing, completes => m.completes,
        legs => CASE
            WHEN o.status = 'Active' AND cardinality(m.fills) = 0 AND cardinality(m.closing) = 0
                AND t.reserve IS NOT NULL AND t.change IS NULL
                -- The most common case.
                THEN public.legs_of_rest(o, t, t.account, t.reserve)
            ELSE public.legs_of_order(o, t, m.fills, public.accounts_to_move(o, t, m))
        END);
END $$;

-- Amount that earlier orders of the same call will add to an account.
CREATE FUNCTION moved_before(p_before order_legs, p_account uuid) RETURNS numeric
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(x.amount), 0)
        FROM unnest(p_before.accounts, p_before.amounts) x (account, amount)
        WHERE x.account = p_account);
END $$;

CREATE FUNCTION refuse_order(p_code text, p_detail text DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', p_code USING ERRCODE = 'XO400', DETAIL = p_detail;
END $$;

-- The incoming order: fully reserved, nothing filled. One for a sum of money starts with the units that it pays
-- for at the limit price. One expression is cheaper than an assignment per column.
CREATE FUNCTION new_order(q order_request, t order_terms) RETURNS orders_order
LANGUAGE plpgsql AS $$
DECLARE
    v_tokens numeric := coalesce(q.tokens, div(
        q.requested_amount * 10000000000, q.price * (100 + t.fee)) * 0.00000001);
BEGIN
    RETURN public.orders_order(
        id => q.id, seq => nextval('public.orders_seq'),
        api_key_id => q.api_key, member_id => q.member, organisation_id => q.organisation,
        owner_id => coalesce(q.member, q.organisation),
        owner_model => CASE
            WHEN q.member IS NOT NULL THEN 'user'
            WHEN q.customer_name IS NOT NULL THEN 'api_key' ELSE 'organisation' END,
        token_id => q.token, type => q.type, price => q.price, tokens => v_tokens,
        -- Processes of the previous release send no kind.
        order_type => coalesce(q.order_type, 'limit'),
        time_in_force => coalesce(q.time_in_force, 'GTC'), post_only => coalesce(q.post_only, false),
        expires_at => q.expires_at, requested_amount => q.requested_amount, fee_percent => t.fee,
        -- 1e29: far above the limit for amounts, and still fits the column.
        amount => least(public.round_half_even(q.price * v_tokens, t.decimals), 1e29),
        reserved => CASE
            WHEN q.requested_amount IS NOT NULL THEN q.requested_amount
            WHEN q.type = 'Buy'
            THEN least(public.order_total('Buy', q.price * v_tokens, t.fee, t.minor), 1e29)
            ELSE v_tokens END,
        status => 'Active', filled => 0, filled_value => 0, charged => 0, charged_fee => 0,
        customer_name => coalesce(q.customer_name, ''),
        customer_email => coalesce(q.customer_email, ''),
        client_order_id => coalesce(q.client_order_id, ''),
        client_reference => q.client_reference, metadata => q.metadata, placed_by => q.actor,
        reason => '',
        -- Read under the lock, so that times follow priority.
        updated_at => clock_timestamp());
END $$;

-- The rules that reject the order, the first one first: whether the token accepts it now, and the owner has the
-- balance for all of it.
CREATE FUNCTION broken_rules(q order_request, o orders_order, t order_terms)
RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT array_remove(ARRAY[
        -- Checked on the request: the columns are already rounded.
        CASE WHEN q.price <> round(q.price, 8) THEN 'price_decimals' END,
        CASE WHEN q.tokens <> round(q.tokens, 8) THEN 'tokens_decimals' END,
        CASE WHEN o.requested_amount <> round(o.requested_amount, t.decimals) THEN 'amount_decimals' END,
        t.member_refusal,
        CASE WHEN t.cancelled THEN 'token_cancelled' END,
        CASE WHEN t.exited THEN 'token_exited' END,
        CASE WHEN t.closed THEN 'token_closed' END,
        CASE WHEN t.halted THEN 'token_halted' END,
        CASE WHEN o.price <> round(o.price, t.decimals) THEN 'price_decimals' END,
        CASE
            WHEN t.completed THEN CASE WHEN NOT t.secondaries THEN 'not_in_secondaries' END
            WHEN o.type <> 'Buy' THEN 'in_primary_raise'
            WHEN t.issuer = o.owner_id THEN 'own_raise'
            WHEN o.price < t.offer THEN 'below_offer'
            WHEN o.post_only THEN 'post_only_in_raise'
        END,
        CASE WHEN o.expires_at <= o.updated_at THEN 'already_expired' END,
        CASE
            WHEN o.price IS NULL THEN 'no_liquidity'
            WHEN t.lowest > 0 AND o.price < t.lowest OR t.highest > 0 AND o.price > t.highest
            THEN 'price_out_of_band'
        END,
        CASE
            WHEN o.price IS NULL THEN NULL
            WHEN o.amount = 0 THEN 'worth_nothing'
            WHEN o.amount > 1000000000000000 THEN 'amount_too_large'
            WHEN t.least > 0 AND o.amount < t.least THEN 'below_min_trade'
            WHEN t.most > 0 AND o.amount > t.most THEN 'above_max_trade'
        END,
        CASE WHEN o.price IS NOT NULL AND (t.available IS NULL OR t.available < o.reserved)
            THEN CASE o.type WHEN 'Buy' THEN 'insufficient_balance' ELSE 'insufficient_units' END
        END,
        -- A debt keeps money in the wallet, not units: their sale repays it.
        CASE WHEN t.block = 'account_frozen' OR o.type = 'Buy' THEN t.block END,
        -- Past the record of a distribution no unit changes hands until it is made. The time of the order was
        -- read under the lock of the token.
        public.record_wait(t.next_record, t.units_held, o.updated_at)
    ], NULL)
$$;

-- The rule of its kind that an order breaks after `m`, none if it may be filled so.
CREATE FUNCTION unmet_kind(o orders_order, m order_match) RETURNS text[]
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN o.post_only AND m.met THEN '{would_take}'::text[]
        WHEN o.time_in_force = 'FOK'
            AND o.filled + (SELECT coalesce(sum(units), 0) FROM unnest(m.fills)) < o.tokens
        THEN '{not_fillable}'
        ELSE '{}' END
$$;

-- Detail of a broken rule, as JSON.
CREATE FUNCTION rule_detail(p_rule text, o orders_order, t order_terms)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF p_rule IN ('insufficient_balance', 'insufficient_units') THEN
        RETURN format(
            '{"available":%s,"requested":%s,"currency":"%s"}',
            trim_scale(coalesce(t.available, 0)), trim_scale(o.reserved), t.currency);
    END IF;
    RETURN CASE p_rule
        WHEN 'price_decimals' THEN format('{"decimals":%s}', t.decimals)
        WHEN 'amount_decimals' THEN format('{"decimals":%s}', t.decimals)
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

-- `o` after its fills: fulfilled, or with its remainder cancelled or reserved.
CREATE FUNCTION end_or_reserve(o orders_order, t order_terms, p_stopped text)
RETURNS orders_order LANGUAGE plpgsql AS $$
BEGIN
    IF o.filled = o.tokens THEN
        o.status := 'Fulfilled';
    ELSIF p_stopped IS NOT NULL THEN
        o.status := 'Cancelled';
        o.reason := p_stopped;
    ELSE
        o.reserved := CASE
            WHEN o.type = 'Buy' THEN public.reserve_of_buy(o, t.minor)
            ELSE o.tokens - o.filled END;
        RETURN o;
    END IF;
    o.reserved := 0;
    o.closed_at := o.updated_at;
    RETURN o;
END $$;
