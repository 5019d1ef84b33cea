-- What the catalogue keeps right by itself.

CREATE SEQUENCE IF NOT EXISTS exchange_token_reference;
GRANT USAGE ON SEQUENCE exchange_token_reference TO exchange_runtime;

INSERT INTO exchange_catalogue (id, version) VALUES (1, 1) ON CONFLICT DO NOTHING;

-- Every change of what lists find raises the version, in the transaction of the change.
CREATE OR REPLACE FUNCTION catalogue_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE public.exchange_catalogue SET version = version + 1;
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS catalogue_changed ON exchange_token;
CREATE TRIGGER catalogue_changed AFTER INSERT OR DELETE OR UPDATE OF
    issuer_id, name, symbol, currency_id, type, deal_access, investment_type, investment_category,
    completed_raise, secondaries, closed, exited, cancelled
    ON exchange_token FOR EACH STATEMENT EXECUTE FUNCTION catalogue_changed();
DROP TRIGGER IF EXISTS catalogue_changed ON exchange_tokenaccess;
CREATE TRIGGER catalogue_changed AFTER INSERT OR DELETE OR UPDATE
    ON exchange_tokenaccess FOR EACH STATEMENT EXECUTE FUNCTION catalogue_changed();
REVOKE INSERT, UPDATE, DELETE ON exchange_catalogue FROM exchange_runtime;

-- Volumes change with every trade; room on the page keeps those updates out of the indexes.
ALTER TABLE exchange_token SET (fillfactor = 85);
SELECT make_permanent('exchange_token');
REVOKE DELETE ON exchange_quote FROM exchange_runtime;

-- Whether an organisation sees a token.
CREATE OR REPLACE FUNCTION token_visible(t exchange_token, p_organisation uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN t.deal_access = 'Public' OR t.issuer_id = p_organisation OR EXISTS (
        SELECT FROM public.exchange_tokenaccess a
        WHERE a.token_id = t.id AND a.organisation_id = p_organisation);
END $$;
