-- Emits what happened to a token, whoever changed it: two people, the last sale of a raise, or a quote. To
-- its issuer, and once to each organisation that holds units of it or whose members do; a raise that is
-- cancelled also to those that held some.
CREATE FUNCTION emit_token_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_type text := CASE
        WHEN NEW.cancelled AND NOT OLD.cancelled THEN 'token.cancelled'
        WHEN NEW.completed_raise AND NOT OLD.completed_raise THEN 'token.raise_completed'
        WHEN NEW.halted_at IS NOT NULL AND OLD.halted_at IS NULL THEN 'token.halted'
        WHEN NEW.halted_at IS NULL AND OLD.halted_at IS NOT NULL THEN 'token.resumed'
        ELSE 'token.quote_changed'
    END;
    v_organisations uuid[] := ARRAY(
        SELECT NEW.issuer_id
        UNION
        SELECT a.organisation_id FROM public.wallets_account a
        WHERE a.asset_id = NEW.id::text AND a.kind IN ('available', 'reserved', 'lien')
            AND a.organisation_id IS NOT NULL AND (a.balance > 0 OR v_type = 'token.cancelled')
        ORDER BY 1);
BEGIN
    PERFORM public.emit_events(
        ARRAY(SELECT public.new_id() FROM unnest(v_organisations)), v_organisations,
        array_fill(v_type, ARRAY[cardinality(v_organisations)]),
        array_fill(NEW.id, ARRAY[cardinality(v_organisations)]),
        array_fill('{"token":' || NEW.document || '}', ARRAY[cardinality(v_organisations)]));
    RETURN NULL;
END $$;
CREATE TRIGGER token_events
    AFTER UPDATE OF cancelled, completed_raise, halted_at, price_buy, price_sell, price_exchange
    ON exchange_token
    FOR EACH ROW WHEN (
        NEW.cancelled AND NOT OLD.cancelled OR NEW.completed_raise AND NOT OLD.completed_raise
        OR (NEW.halted_at IS NULL) <> (OLD.halted_at IS NULL)
        OR (NEW.price_buy, NEW.price_sell, NEW.price_exchange)
            IS DISTINCT FROM (OLD.price_buy, OLD.price_sell, OLD.price_exchange))
    EXECUTE FUNCTION emit_token_events();
