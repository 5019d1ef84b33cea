-- Amendments, a part of `enter_orders`: another price or another total for an open order, which is then checked and
-- matched like a new one. `q.tokens` is the new total, with what is filled.

-- Locks and returns the order that `q` amends. Rejected: order_not_found, state_conflict, filled_changed,
-- below_filled, terms_changed. The lock of the token comes first.
CREATE FUNCTION order_to_amend(q order_request, t order_terms) RETURNS orders_order
LANGUAGE plpgsql AS $$
DECLARE
    o orders_order := (
        SELECT x FROM public.orders_order x
        WHERE x.id = q.amends AND x.organisation_id = q.organisation FOR NO KEY UPDATE);
BEGIN
    PERFORM public.name_actor(q.actor);
    IF o.id IS NULL THEN
        PERFORM public.refuse_order('order_not_found');
    ELSIF o.status <> 'Active' THEN
        PERFORM public.refuse_order('state_conflict', format('{"status":"%s"}', o.status));
    ELSIF q.expected_filled <> o.filled THEN
        PERFORM public.refuse_order('filled_changed', format('{"filled":%s}', trim_scale(o.filled)));
    ELSIF q.tokens <= o.filled THEN
        PERFORM public.refuse_order('below_filled', format('{"filled":%s}', trim_scale(o.filled)));
    ELSIF (q.price <> o.price OR q.tokens > o.tokens) AND (
        -- Changed before this release: no time.
        o.fee_percent <> t.fee OR EXISTS (
            SELECT FROM public.exchange_token x
            WHERE x.id = t.id AND x.limits_changed_at > o.created_at))
    THEN
        PERFORM public.refuse_order('terms_changed');
    END IF;
    RETURN o;
END $$;

-- The order with its new terms. It keeps its place in the queue only if nothing but its total shrinks.
CREATE FUNCTION amended_order(o orders_order, q order_request, t order_terms) RETURNS orders_order
LANGUAGE plpgsql AS $$
BEGIN
    IF q.price <> o.price OR q.tokens > o.tokens THEN
        o.seq := nextval('public.orders_seq');
    END IF;
    o.price := coalesce(q.price, o.price);
    o.tokens := coalesce(q.tokens, o.tokens);
    o.amount := least(public.round_half_even(o.price * o.tokens, t.decimals), 1e29);
    o.reserved := CASE
        WHEN o.type = 'Buy' THEN least(public.reserve_of_buy(o, t.minor), 1e29)
        ELSE o.tokens - o.filled END;
    -- Who its transfers name; the order keeps who placed it.
    o.placed_by := q.actor;
    o.updated_at := clock_timestamp();
    RETURN o;
END $$;
