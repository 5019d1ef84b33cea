-- Passkeys: what a key is never changes, its counter and last use only move forward, and a blocked key stays
-- blocked (docs/decisions/0070-passkeys.md).
SELECT guard_start('exchange_passkey', '{"last_used_at": null, "blocked_at": null}');
CREATE FUNCTION passkey_moves_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.sign_count < OLD.sign_count OR NEW.last_used_at < OLD.last_used_at
        OR OLD.last_used_at IS NOT NULL AND NEW.last_used_at IS NULL
        OR OLD.blocked_at IS NOT NULL
    THEN
        RAISE EXCEPTION 'passkey % moves forward only', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER passkey_moves_forward BEFORE UPDATE ON exchange_passkey
    FOR EACH ROW EXECUTE FUNCTION passkey_moves_forward();
REVOKE UPDATE, TRUNCATE ON exchange_passkey FROM exchange_runtime;
GRANT UPDATE (sign_count, last_used_at, blocked_at) ON exchange_passkey TO exchange_runtime;
SELECT audit_table('exchange_passkey', about => 'user_id', left_out => '{sign_count,last_used_at}');

-- Without an authenticator app a person keeps two passkeys that work, or has no second factor at all, which
-- is what a reset leaves. Checked at the end of a transaction, since a reset removes them one by one.
CREATE FUNCTION two_passkeys_without_app() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.exchange_secondfactor f WHERE f.user_id = OLD.user_id)
        AND (SELECT count(*) > 0 AND count(*) FILTER (WHERE k.blocked_at IS NULL) < 2
             FROM public.exchange_passkey k WHERE k.user_id = OLD.user_id)
    THEN
        RAISE EXCEPTION 'without an authenticator app a person keeps two passkeys'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_two_without_app';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER two_passkeys_without_app AFTER DELETE ON exchange_secondfactor
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION two_passkeys_without_app();
CREATE CONSTRAINT TRIGGER two_passkeys_without_app AFTER DELETE ON exchange_passkey
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION two_passkeys_without_app();
