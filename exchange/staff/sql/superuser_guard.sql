-- Superusers pass every permission check, so only the owner of the table can create them
-- (`manage.py createsuperuser --database owner`).
CREATE FUNCTION superuser_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_catalog.pg_has_role(
        current_user, (SELECT relowner FROM pg_catalog.pg_class WHERE oid = TG_RELID), 'USAGE')
    THEN
        RAISE EXCEPTION 'only the owner of the database makes superusers'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER superuser_guard_insert BEFORE INSERT ON exchange_staffuser
    FOR EACH ROW WHEN (NEW.is_superuser) EXECUTE FUNCTION superuser_guard();
CREATE TRIGGER superuser_guard_update BEFORE UPDATE OF is_superuser ON exchange_staffuser
    FOR EACH ROW WHEN (NEW.is_superuser AND NOT OLD.is_superuser)
    EXECUTE FUNCTION superuser_guard();
