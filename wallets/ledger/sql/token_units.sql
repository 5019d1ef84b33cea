-- Creates the ledger asset of a token's units, with 8 decimals.
CREATE FUNCTION open_token_units(p_token uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO wallets_asset (id, token_id, decimals)
    SELECT t.id::text, t.id, 8 FROM exchange_token t WHERE t.id = p_token;
END $$;
REVOKE ALL ON FUNCTION open_token_units FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_token_units TO exchange_runtime;
