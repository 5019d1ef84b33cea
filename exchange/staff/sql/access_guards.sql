-- Guards of privileged access (docs/decisions/0025-privileged-access.md).

CREATE TRIGGER two_person_guard AFTER INSERT OR UPDATE OR DELETE
    ON exchange_accessproposal FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'access_proposal', 'proposed_by_id', 'Pending', 'Approved',
        'reason,proposed_by_id,person_id', 'collected_at,key_id', 'Pending,Approved');

-- Adoption of a command's proposal, the created user and the collected secret are written once. The
-- trigger above guards everything else.
CREATE FUNCTION access_proposal_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.proposed_by_id IS NOT NULL AND NEW.proposed_by_id IS DISTINCT FROM OLD.proposed_by_id
        OR OLD.person_id IS NOT NULL AND NEW.person_id IS DISTINCT FROM OLD.person_id
        OR OLD.collected_at IS NOT NULL AND (NEW.collected_at, NEW.key_id)
            IS DISTINCT FROM (OLD.collected_at, OLD.key_id)
    THEN
        RAISE EXCEPTION 'access proposal % was taken up or collected before', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER access_proposal_once BEFORE UPDATE ON exchange_accessproposal
    FOR EACH ROW EXECUTE FUNCTION access_proposal_once();

REVOKE DELETE, TRUNCATE ON exchange_accessproposal FROM exchange_runtime;
SELECT audit_table('exchange_accessproposal', about => 'person_id');

-- The service makes no access look older than it is; the owner of the tables can.
CREATE FUNCTION staff_access_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_user = 'exchange_runtime' THEN
        NEW.access_changed_at := greatest(OLD.access_changed_at, NEW.access_changed_at);
        IF TG_OP = 'INSERT' OR NEW.is_active AND NOT OLD.is_active THEN
            NEW.access_changed_at := greatest(NEW.access_changed_at, now());
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER staff_access_guard BEFORE INSERT OR UPDATE OF access_changed_at, is_active
    ON exchange_staffuser FOR EACH ROW EXECUTE FUNCTION staff_access_guard();

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
