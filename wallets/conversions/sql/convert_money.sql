-- Executes one conversion by a quote: checks the quote, moves the money, writes the record and its event.
-- `convert_money` calls it with one order whose idempotency key is new (`exchange.core.commands`). A
-- rejection raises SQLSTATE XW400 with the code as message and JSON as detail.
--
-- Locks: the owner, so that a freeze is seen; the quote, so that it is used once; the positions of both
-- currencies, so that limits hold; the owner's accounts.
CREATE FUNCTION convert_money_execute(p_orders conversion_order[])
RETURNS TABLE (done uuid, answer text) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    o conversion_order := p_orders[1];
    q record;
    v_owner uuid := coalesce(o.member, o.organisation);
    v_source record;
    v_target record;
    v_balance numeric;
    v_code text;
BEGIN
    PERFORM lock_owners(ARRAY[v_owner]);
    v_code := member_refusal(o.organisation, o.member);
    IF v_code IS NOT NULL THEN
        PERFORM reject_conversion(v_code);
    END IF;
    SELECT x.from_currency_id, x.to_currency_id, x.amount, x.rate, x.converted_amount, x.fee,
           x.from_rate, x.to_rate, x.from_rate_change, x.to_rate_change, x.from_spread,
           x.to_spread, x.expires_at
        INTO q FROM wallets_conversionquote x
        WHERE x.id = o.quote AND x.organisation_id = o.organisation FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM reject_conversion('quote_not_found');
    ELSIF EXISTS (SELECT FROM wallets_conversion c WHERE c.quote_id = o.quote) THEN
        PERFORM reject_conversion('quote_used');
    ELSIF clock_timestamp() >= q.expires_at THEN
        PERFORM reject_conversion('quote_expired');
    END IF;
    SELECT r.change, r.since INTO v_source FROM conversion_rate(q.from_currency_id) r;
    SELECT r.change, r.since INTO v_target FROM conversion_rate(q.to_currency_id) r;
    IF (v_source.change, v_target.change) IS DISTINCT FROM (q.from_rate_change, q.to_rate_change) THEN
        PERFORM reject_conversion('quote_replaced');
    END IF;
    PERFORM require_current_rate(q.from_currency_id, v_source.since, o.max_rate_age_hours);
    PERFORM require_current_rate(q.to_currency_id, v_target.since, o.max_rate_age_hours);

    -- A position that is not there yet has no lock: the first conversions would take it after accounts.
    INSERT INTO wallets_conversionposition (currency_id, amount)
        SELECT c, 0 FROM unnest(ARRAY[q.from_currency_id, q.to_currency_id]) c ORDER BY c
        ON CONFLICT DO NOTHING;
    PERFORM 1 FROM wallets_conversionposition p
        WHERE p.currency_id IN (q.from_currency_id, q.to_currency_id)
        ORDER BY p.currency_id FOR NO KEY UPDATE;
    PERFORM 1 FROM wallets_account a
        WHERE a.owner_id = v_owner AND (
            a.asset_id IN (q.from_currency_id, q.to_currency_id) AND a.kind = 'available'
            OR a.asset_id = q.from_currency_id AND a.kind = 'receivable')
        ORDER BY a.id FOR NO KEY UPDATE;
    SELECT a.balance INTO v_balance FROM wallets_account a
        WHERE a.owner_id = v_owner AND a.asset_id = q.from_currency_id AND a.kind = 'available';
    IF coalesce(v_balance, 0) < q.amount THEN
        RAISE EXCEPTION 'insufficient_balance' USING ERRCODE = 'XW400', DETAIL = json_build_object(
            'currency', q.from_currency_id, 'available', trim_scale(coalesce(v_balance, 0)),
            'requested', trim_scale(q.amount))::text;
    END IF;
    v_code := owner_block(o.organisation, o.member, q.from_currency_id);
    IF v_code IS NOT NULL THEN
        PERFORM reject_conversion(v_code);
    END IF;
    -- In the order of currencies.
    PERFORM change_position(m.currency, m.amount)
        FROM (SELECT currency, amount
              FROM (VALUES (q.from_currency_id, q.amount),
                           (q.to_currency_id, - (q.converted_amount + q.fee))) v (currency, amount)
              ORDER BY currency) m;

    INSERT INTO wallets_conversion
        (id, organisation_id, member_id, quote_id, from_currency_id, to_currency_id, amount, rate,
         converted_amount, fee, from_rate, to_rate, from_rate_change, to_rate_change, from_spread,
         to_spread, status, requested_by, created_at)
    VALUES (o.conversion, o.organisation, o.member, o.quote, q.from_currency_id, q.to_currency_id,
            q.amount, q.rate, q.converted_amount, q.fee, q.from_rate, q.to_rate, q.from_rate_change,
            q.to_rate_change, q.from_spread, q.to_spread, 'Completed', o.actor, now())
    RETURNING document INTO answer;
    PERFORM post_transfers(
        ARRAY[o.transfer], ARRAY['conversion'], ARRAY['conversion:' || o.conversion],
        ARRAY[o.conversion], ARRAY[o.actor], ARRAY[''], array_agg(o.transfer),
        array_agg(open_account(new_id(), l.currency, l.kind, l.organisation, l.member) ORDER BY l.n),
        array_agg(l.amount ORDER BY l.n))
        FROM (VALUES
            (1, q.from_currency_id, 'available', o.organisation, o.member, - q.amount),
            (2, q.from_currency_id, 'position', NULL, NULL, q.amount),
            (3, q.to_currency_id, 'position', NULL, NULL, - (q.converted_amount + q.fee)),
            (4, q.to_currency_id, 'available', o.organisation, o.member, q.converted_amount),
            (5, q.to_currency_id, 'fees', NULL, NULL, q.fee)
        ) l (n, currency, kind, organisation, member, amount);
    PERFORM emit_event(o.event, o.organisation, 'conversion.completed', o.conversion,
                       '{"conversion":' || answer || '}');

    done := o.conversion;
    RETURN NEXT;
END $$;
REVOKE ALL ON FUNCTION convert_money_execute FROM PUBLIC;

-- Moves a position, unless that takes the exchange beyond its limit. Back towards zero it may always go.
CREATE FUNCTION change_position(p_currency text, p_amount numeric) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    v_after numeric := move_position(p_currency, p_amount);
BEGIN
    IF abs(v_after) > abs(v_after - p_amount)
        AND abs(v_after) > coalesce(effective_setting('CONVERSION_POSITION_LIMIT_' || p_currency), 0)
    THEN
        PERFORM reject_conversion('position_limit_reached', p_currency);
    END IF;
END $$;
REVOKE ALL ON FUNCTION change_position FROM PUBLIC;
