-- Guards the terms of a token, whatever writes them. Services check the same rules and describe the
-- error (`exchange.tokens.services.terms`); here the broken rule is named.
--
-- A trigger, not CHECKs: PostgreSQL reads each CHECK of a table again for every statement, and every
-- trade writes the totals of its token, which `token_guard` checks.

CREATE FUNCTION token_terms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_rule text := CASE
        WHEN NEW.secondaries AND NOT NEW.completed_raise THEN 'token_secondaries_after_raise'
        WHEN NOT NEW.completed_raise AND (NEW.raise_amount <= 0 OR NEW.price_buy <= 0)
            THEN 'token_raise_has_an_offer'
        -- Later prices come from a quote, which has the same constraint.
        WHEN TG_OP = 'INSERT' AND NEW.price_sell > NEW.price_buy
            THEN 'token_sell_not_above_buy'
        WHEN least(NEW.buy_fee, NEW.sell_fee) < 0 OR greatest(NEW.buy_fee, NEW.sell_fee) > 50
            THEN 'token_fees_within_half'
        WHEN least(NEW.carry, NEW.management_fee, NEW.discount, NEW.interest, NEW.dividend) < 0
            OR greatest(NEW.carry, NEW.management_fee, NEW.discount, NEW.interest, NEW.dividend)
                > 100
            THEN 'token_percent_within_100'
        WHEN least(NEW.min_buy, NEW.min_sell, NEW.min_trade_buy, NEW.min_trade_sell) < 0
            OR NEW.max_buy <> 0 AND NEW.max_buy < NEW.min_buy
            OR NEW.max_sell <> 0 AND NEW.max_sell < NEW.min_sell
            OR NEW.max_trade_buy <> 0 AND NEW.max_trade_buy < NEW.min_trade_buy
            OR NEW.max_trade_sell <> 0 AND NEW.max_trade_sell < NEW.min_trade_sell
            THEN 'token_bounds_in_order'
        WHEN least(NEW.price_buy, NEW.price_sell, NEW.price_exchange, NEW.prev_price_buy,
                   NEW.prev_price_sell, NEW.prev_price_exchange, NEW.valuation,
                   NEW.post_raise_valuation, NEW.raise_amount) < 0
            THEN 'token_amounts_not_negative'
        WHEN NEW.image <> '' AND NEW.image
            !~* '^(https?://[^/\\\s<>"''][^\\\s<>"'']*|/([^/\\\s<>"''][^\\\s<>"'']*)?)$'
            THEN 'token_image_is_an_address'
        WHEN NEW.type NOT IN ('Private', 'Public')
            OR NEW.deal_access NOT IN ('Private', 'Public')
            OR NEW.investment_type NOT IN ('the service', 'SAFE', 'Debt', 'Fixed Interest')
            OR NEW.investment_category NOT IN (
                'ETF', 'Bond', 'Commercial Paper', 'Debt Note', 'Real Estate', 'Private Business',
                'Startup', 'Commodities', 'Fund', 'Art', 'Music', 'Movie', 'Charity')
            OR NEW.payout_frequency NOT IN (
                '', 'Monthly', 'Quarterly', 'Semi-Annually', 'Annually', 'At Maturity')
            THEN 'token_words_known'
    END;
BEGIN
    IF v_rule IS NOT NULL THEN
        RAISE EXCEPTION 'the terms of token % break %', NEW.id, v_rule
            USING ERRCODE = 'check_violation', CONSTRAINT = v_rule, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER token_terms BEFORE INSERT OR UPDATE OF
    secondaries, completed_raise, raise_amount, price_buy, price_sell, price_exchange,
    prev_price_buy, prev_price_sell, prev_price_exchange, valuation, post_raise_valuation, buy_fee,
    sell_fee, carry, management_fee, discount, interest, dividend, min_buy, max_buy, min_sell,
    max_sell, min_trade_buy, max_trade_buy, min_trade_sell, max_trade_sell, image, type,
    deal_access, investment_type, investment_category, payout_frequency
    ON exchange_token FOR EACH ROW EXECUTE FUNCTION token_terms();
