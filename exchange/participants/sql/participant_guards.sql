-- Guards and audit of organisations, members and API keys with their tokens.
SELECT make_permanent('exchange_organisation');
SELECT make_permanent('exchange_member');

-- An issued key or token never gets a wider scope or a later expiry, and stays revoked.
CREATE FUNCTION api_key_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT NEW.scopes <@ OLD.scopes
        OR NEW.organisation_id <> OLD.organisation_id
        OR OLD.expires_at IS NOT NULL AND coalesce(NEW.expires_at > OLD.expires_at, true)
        OR OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL
    THEN
        RAISE EXCEPTION 'API key % gets no more power than it was issued with', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER api_key_guard
    BEFORE UPDATE OF scopes, organisation_id, expires_at, revoked_at ON exchange_apikey
    FOR EACH ROW EXECUTE FUNCTION api_key_guard();

CREATE FUNCTION access_token_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.scope <> OLD.scope OR NEW.expires > OLD.expires
        OR NEW.application_id IS DISTINCT FROM OLD.application_id
    THEN
        RAISE EXCEPTION 'access token % gets no more power than it was issued with', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER access_token_guard BEFORE UPDATE OF scope, expires, application_id
    ON oauth2_provider_accesstoken FOR EACH ROW EXECUTE FUNCTION access_token_guard();

SELECT audit_table('exchange_organisation', hidden => '{tax_id}', left_out => '{updated_at}');
SELECT audit_table('exchange_member', about => 'organisation_id', hidden => '{tax_id}',
    left_out => '{updated_at,document}');
-- The last use is updated once a minute.
SELECT audit_table('exchange_apikey', about => 'organisation_id',
    hidden => '{client_secret}', left_out => '{updated,last_used_at}');
-- Deletions of expired tokens are not audited.
SELECT audit_table('oauth2_provider_accesstoken', about => 'application_id',
    hidden => '{token,token_checksum}', left_out => '{updated}',
    deletes => 'OLD.expires > now()');
