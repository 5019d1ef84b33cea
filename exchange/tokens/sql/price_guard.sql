-- Quotes are approved by two people (exchange/staff/sql/two_person.sql).
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON exchange_quote
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'quote', 'proposed_by_id', 'Pending', 'Approved', 'reason,approval_reason');
REVOKE DELETE ON exchange_quote FROM exchange_runtime;
SELECT audit_table('exchange_quote', about => 'token_id');

-- The prices of a token change only with a quote of the same prices that is approved in the same
-- transaction. Lending and raises rely on this. Checked at commit, as the quote may be closed after the
-- prices are set.
CREATE FUNCTION price_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_epoch bigint := (pg_current_xact_id()::text::bigint >> 32) << 32;
BEGIN
    -- Only the newest row: PostgreSQL fails for an older one whose wrapped transaction id looks like one
    -- of the future. A row visible while its transaction is in progress was written by this one, maybe
    -- within a savepoint.
    IF NOT coalesce((
        SELECT pg_xact_status((v_epoch | newest.xmin::text::bigint)::text::xid8) = 'in progress'
        FROM (
            SELECT q.xmin FROM public.exchange_quote q
            WHERE q.token_id = NEW.id AND q.status = 'Approved'
                AND (q.buy, q.sell, q.exchange)
                    = (NEW.price_buy, NEW.price_sell, NEW.price_exchange)
            ORDER BY q.decided_at DESC LIMIT 1) newest), false)
    THEN
        RAISE EXCEPTION 'the prices of token % change with an approved quote only', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_price_by_quote',
            TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;

-- All buyers of a raise pay the same price.
CREATE FUNCTION raise_price_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the raise of token % is open: its buy price stays', OLD.id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'token_price_in_raise',
        TABLE = TG_TABLE_NAME;
END $$;
CREATE TRIGGER raise_price_guard BEFORE UPDATE OF price_buy ON exchange_token
    FOR EACH ROW
    WHEN (NOT OLD.completed_raise AND NOT OLD.cancelled AND NEW.price_buy <> OLD.price_buy)
    EXECUTE FUNCTION raise_price_guard();

CREATE CONSTRAINT TRIGGER price_guard
    AFTER UPDATE OF price_buy, price_sell, price_exchange, quoted_at ON exchange_token
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.price_buy, OLD.price_sell, OLD.price_exchange)
            IS DISTINCT FROM (NEW.price_buy, NEW.price_sell, NEW.price_exchange)
        -- The time of a price may be moved back, not forward.
        OR coalesce(NEW.quoted_at > OLD.quoted_at, NEW.quoted_at IS NOT NULL))
    EXECUTE FUNCTION price_guard();
