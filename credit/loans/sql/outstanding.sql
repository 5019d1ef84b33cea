-- Total principal of open loans by configuration and currency, so that a limit is checked against one
-- row. A loan is written after its accounts are locked, so this row is always locked last.
CREATE FUNCTION loan_outstanding() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    change numeric := CASE WHEN NEW.closed_at IS NULL
        THEN NEW.amount - NEW.principal_repaid ELSE 0 END;
    total numeric;
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.closed_at IS NULL THEN
        change := change - (OLD.amount - OLD.principal_repaid);
    END IF;
    IF change = 0 THEN
        RETURN NULL;
    END IF;
    UPDATE public.credit_outstanding SET principal = principal + change
        WHERE configuration_id = NEW.configuration_id AND currency_id = NEW.currency_id
        RETURNING principal INTO total;
    IF NOT FOUND THEN
        INSERT INTO public.credit_outstanding AS o (configuration_id, currency_id, principal)
        VALUES (NEW.configuration_id, NEW.currency_id, change)
        ON CONFLICT (configuration_id, currency_id)
            DO UPDATE SET principal = o.principal + excluded.principal
        RETURNING principal INTO total;
    END IF;
    IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM public.credit_loanlimit l
        WHERE l.version_id = NEW.version_id AND l.currency_id = NEW.currency_id
            AND total > l.max_outstanding)
    THEN
        RAISE EXCEPTION 'configuration % would have % % outstanding', NEW.configuration_id, total,
            NEW.currency_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_within_outstanding';
    END IF;
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION loan_outstanding FROM PUBLIC;
CREATE TRIGGER loan_outstanding
    AFTER INSERT OR UPDATE OF principal_repaid, closed_at ON credit_loan
    FOR EACH ROW EXECUTE FUNCTION loan_outstanding();
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON credit_outstanding FROM exchange_runtime;
