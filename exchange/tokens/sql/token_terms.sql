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
        WHEN NEW.issue_price <= 0 THEN 'token_issue_price_positive'
        WHEN NEW.completed_at IS NOT NULL AND NOT NEW.completed_raise
            THEN 'token_completed_with_its_raise'
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
    IF TG_OP = 'INSERT' THEN
        NEW.issue_price := coalesce(NEW.issue_price, nullif(NEW.price_buy, 0));
        IF NEW.completed_raise THEN
            NEW.completed_at := coalesce(NEW.completed_at, NEW.created_at);
        END IF;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER token_terms BEFORE INSERT OR UPDATE OF
    secondaries, completed_raise, raise_amount, price_buy, price_sell, price_exchange,
    prev_price_buy, prev_price_sell, prev_price_exchange, valuation, post_raise_valuation, buy_fee,
    sell_fee, carry, management_fee, discount, interest, dividend, min_buy, max_buy, min_sell,
    max_sell, min_trade_buy, max_trade_buy, min_trade_sell, max_trade_sell, image, type,
    deal_access, investment_type, investment_category, payout_frequency, issue_price, completed_at
    ON exchange_token FOR EACH ROW EXECUTE FUNCTION token_terms();

-- What payments follow from is fixed once investors have bought: it changes with the next version only,
-- which two people approve (orders/listings/sql/terms.sql). The completion of a raise states what was
-- not known.
CREATE FUNCTION token_terms_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.terms_version <> OLD.terms_version THEN
        IF NEW.terms_version = OLD.terms_version + 1 THEN
            RETURN NEW;
        END IF;
    ELSIF NEW.completed_raise AND NOT OLD.completed_raise THEN
        IF (NEW.interest, NEW.tenor, NEW.payout_frequency)
                = (OLD.interest, OLD.tenor, OLD.payout_frequency)
            AND NEW.issue_price = coalesce(OLD.issue_price, NEW.issue_price)
        THEN
            RETURN NEW;
        END IF;
    ELSIF NOT OLD.completed_raise AND OLD.supply = 0 AND OLD.total_allocated = 0 THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the terms of token % are fixed: they change by two people only', NEW.id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'token_terms_fixed', TABLE = TG_TABLE_NAME;
END $$;
CREATE TRIGGER token_terms_fixed BEFORE UPDATE OF
    issue_price, interest, tenor, payout_frequency, completed_at, terms_version
    ON exchange_token FOR EACH ROW
    WHEN ((OLD.issue_price, OLD.interest, OLD.tenor, OLD.payout_frequency, OLD.completed_at,
            OLD.terms_version)
        IS DISTINCT FROM (NEW.issue_price, NEW.interest, NEW.tenor, NEW.payout_frequency,
            NEW.completed_at, NEW.terms_version))
    EXECUTE FUNCTION token_terms_fixed();
