-- The identity of a token never changes, closures are final, and totals stay within their limits. (A
-- trigger, not CHECKs: trades write totals, and PostgreSQL reads each CHECK again for every statement.)
CREATE FUNCTION token_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF least(NEW.vol_buy, NEW.vol_sell, NEW.total_supply, NEW.total_allocated, NEW.total_raised) < 0
    THEN
        RAISE EXCEPTION 'totals of token % cannot be negative', NEW.id USING
            ERRCODE = 'check_violation', CONSTRAINT = 'token_totals_not_negative',
            TABLE = TG_TABLE_NAME;
    ELSIF NEW.supply NOT BETWEEN 0 AND NEW.total_supply THEN
        RAISE EXCEPTION 'supply of token % cannot be % of %', NEW.id, NEW.supply, NEW.total_supply
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_supply_within_total',
            TABLE = TG_TABLE_NAME;
    ELSIF TG_OP = 'INSERT' THEN
        RETURN NEW;
    ELSIF (
        OLD.id, OLD.issuer_id, OLD.currency_id, OLD.reference, OLD.created_at, OLD.raise_amount,
        OLD.total_supply)
        IS DISTINCT FROM (
        NEW.id, NEW.issuer_id, NEW.currency_id, NEW.reference, NEW.created_at, NEW.raise_amount,
        NEW.total_supply)
    THEN
        RAISE EXCEPTION 'the identity of token % cannot change', OLD.id
            USING ERRCODE = 'restrict_violation';
    ELSIF OLD.cancelled AND NOT NEW.cancelled OR OLD.exited AND NOT NEW.exited
        OR OLD.completed_raise AND NOT NEW.completed_raise
    THEN
        RAISE EXCEPTION 'the closure of token % is final', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;

-- Notes when what orders cost, or their limits, changes: an order from before it does not grow
-- (orders/book/sql/amend_order.sql).
CREATE FUNCTION note_limits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.limits_changed_at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER note_limits BEFORE UPDATE OF
    buy_fee, sell_fee, min_buy, max_buy, min_sell, max_sell, min_trade_buy, max_trade_buy,
    min_trade_sell, max_trade_sell
    ON exchange_token FOR EACH ROW
    WHEN ((OLD.buy_fee, OLD.sell_fee, OLD.min_buy, OLD.max_buy, OLD.min_sell, OLD.max_sell,
           OLD.min_trade_buy, OLD.max_trade_buy, OLD.min_trade_sell, OLD.max_trade_sell)
          IS DISTINCT FROM
          (NEW.buy_fee, NEW.sell_fee, NEW.min_buy, NEW.max_buy, NEW.min_sell, NEW.max_sell,
           NEW.min_trade_buy, NEW.max_trade_buy, NEW.min_trade_sell, NEW.max_trade_sell))
    EXECUTE FUNCTION note_limits();
CREATE TRIGGER token_guard BEFORE INSERT OR UPDATE ON exchange_token
    FOR EACH ROW EXECUTE FUNCTION token_guard();
