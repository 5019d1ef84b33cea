-- Quotes: rates crossed through USD, with the spreads of both currencies, rounded against the client.

-- The rate of a currency in units per USD, the settings change it is from, and since when it is
-- effective, by the clock. An initial value was approved by no one, so `since` is NULL; USD itself is
-- always current.
CREATE FUNCTION conversion_rate(
    p_currency text, OUT rate numeric, OUT change uuid, OUT since timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF p_currency = 'USD' THEN
        rate := 1;
        since := now();
        RETURN;
    END IF;
    SELECT f.value, f.id, f.effective_at INTO rate, change, since
        FROM public.wallets_settingchange f
        WHERE f.configuration_id = p_currency || '_USD_RATE' AND f.status = 'Approved'
            AND f.effective_at <= clock_timestamp() AND f.value > 0
        ORDER BY f.effective_at DESC, f.decided_at DESC LIMIT 1;
END $$;

-- Raises `rate_outdated` unless the rate is effective since no longer than `p_hours`.
CREATE FUNCTION require_current_rate(p_currency text, p_since timestamptz, p_hours bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF p_since IS NULL OR p_since < now() - make_interval(hours => p_hours::integer) THEN
        PERFORM public.reject_conversion('rate_outdated', p_currency);
    END IF;
END $$;

-- Raises a rejection, with the currency it is about.
CREATE FUNCTION reject_conversion(p_code text, p_currency text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', p_code
        USING ERRCODE = 'XW400', DETAIL = json_build_object('currency', p_currency)::text;
END $$;

-- Writes a quote and returns its document. `p_commands` is an array of one `conversion_quote_order`
-- (wallets.conversions.commands), as JSON.
--
-- `div` truncates the true quotient, so what arrives is rounded once, down to the target's decimals. No
-- conversion, and no sequence of them at the same rates, brings more than the middle rate. The fee is
-- what that would bring, also rounded down, less what arrives. The rate is rounded for display alone.
CREATE FUNCTION quote_conversion(p_commands jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    o conversion_quote_order := jsonb_populate_record(NULL::conversion_quote_order, p_commands -> 0);
    source record;
    target record;
    v_source_spread numeric := coalesce(effective_setting('CONVERSION_SPREAD_' || o.from_currency), 0);
    v_target_spread numeric := coalesce(effective_setting('CONVERSION_SPREAD_' || o.to_currency), 0);
    -- The smallest amount of the target.
    v_unit numeric := (SELECT power(10::numeric, - decimals) FROM exchange_currency
                       WHERE code = o.to_currency);
    -- Spreads are in basis points.
    v_kept numeric := (10000 - v_source_spread) * (10000 - v_target_spread) * 1e-8;
    v_worth numeric;
    v_arrives numeric;
    v_document text;
    -- A quote lives from when it is made, however long its transaction has run.
    v_made_at timestamptz := clock_timestamp();
BEGIN
    SELECT r.rate, r.change, r.since INTO source FROM conversion_rate(o.from_currency) r;
    SELECT r.rate, r.change, r.since INTO target FROM conversion_rate(o.to_currency) r;
    PERFORM require_current_rate(o.from_currency, source.since, o.max_rate_age_hours);
    PERFORM require_current_rate(o.to_currency, target.since, o.max_rate_age_hours);

    v_worth := div(o.amount * target.rate, source.rate * v_unit) * v_unit;
    v_arrives := div(o.amount * target.rate * v_kept, source.rate * v_unit) * v_unit;
    IF v_worth > 1e15 THEN
        PERFORM reject_conversion('too_large', o.to_currency);
    ELSIF v_arrives <= 0 THEN
        PERFORM reject_conversion('too_small', o.to_currency);
    END IF;
    INSERT INTO wallets_conversionquote
        (id, organisation_id, from_currency_id, to_currency_id, amount, rate, converted_amount, fee,
         from_rate, to_rate, from_rate_change, to_rate_change, from_spread, to_spread,
         requested_by, created_at, expires_at)
    VALUES (o.quote, o.organisation, o.from_currency, o.to_currency, o.amount,
            div(target.rate * v_kept * 1e12, source.rate) * 1e-12, v_arrives, v_worth - v_arrives,
            source.rate, target.rate, source.change, target.change, v_source_spread,
            v_target_spread, o.actor, v_made_at, v_made_at + make_interval(secs => o.lifetime_seconds))
    RETURNING document INTO v_document;
    RETURN v_document;
END $$;
REVOKE ALL ON FUNCTION quote_conversion FROM PUBLIC;
GRANT EXECUTE ON FUNCTION quote_conversion TO exchange_runtime;
