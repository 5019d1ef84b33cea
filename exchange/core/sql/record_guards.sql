-- Guards that tables share. Each table declares its own, next to its other rules.

-- Every row of `target` is inserted with the values of `start`: what a later change must pass its guards
-- for is not there from the beginning.
CREATE FUNCTION guard_start(target regclass, start jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER guard_start BEFORE INSERT ON %s
                    FOR EACH ROW EXECUTE FUNCTION start_guard(%L)', target, start);
END $$;
REVOKE ALL ON FUNCTION guard_start FROM PUBLIC;

CREATE FUNCTION start_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT to_jsonb(NEW) @> TG_ARGV[0]::jsonb THEN
        RAISE EXCEPTION '% starts with %', TG_TABLE_NAME, TG_ARGV[0]
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_start';
    END IF;
    RETURN NEW;
END $$;

-- The status of a row changes only as `moves` ("from>to") say.
CREATE FUNCTION guard_moves(target regclass, moves text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER guard_moves BEFORE UPDATE OF status ON %s
                    FOR EACH ROW WHEN (OLD.status <> NEW.status)
                    EXECUTE FUNCTION move_guard(%L)', target, moves);
END $$;
REVOKE ALL ON FUNCTION guard_moves FROM PUBLIC;

CREATE FUNCTION move_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status || '>' || NEW.status <> ALL (TG_ARGV[0]::text[]) THEN
        RAISE EXCEPTION '% % cannot go from % to %', TG_TABLE_NAME, OLD.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_move';
    END IF;
    RETURN NEW;
END $$;

-- `kept` columns never change, or not where `since`, a condition on OLD and NEW, holds.
CREATE FUNCTION keep_columns(target regclass, kept text[], since text DEFAULT 'true') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_names text := array_to_string(kept, ', ');
    v_old text := 'OLD.' || array_to_string(kept, ', OLD.');
    v_new text := 'NEW.' || array_to_string(kept, ', NEW.');
BEGIN
    EXECUTE format('CREATE TRIGGER keep_columns BEFORE UPDATE OF %s ON %s
                    FOR EACH ROW WHEN ((%s) AND (%s) IS DISTINCT FROM (%s))
                    EXECUTE FUNCTION kept_columns()', v_names, target, since, v_old, v_new);
END $$;
REVOKE ALL ON FUNCTION keep_columns FROM PUBLIC;

CREATE FUNCTION kept_columns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what a row of % says never changes', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME;
END $$;

-- Migrations write `target`, the service does not. (Not REVOKE: processes of the release before may.)
CREATE FUNCTION keep_from_service(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER keep_from_service BEFORE INSERT OR UPDATE OR DELETE ON %s
                    FOR EACH STATEMENT WHEN (current_user = ''exchange_runtime'')
                    EXECUTE FUNCTION kept_from_service()', target);
END $$;
REVOKE ALL ON FUNCTION keep_from_service FROM PUBLIC;

CREATE FUNCTION kept_from_service() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is written by migrations only', TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;

SELECT keep_from_service('django_migrations');
SELECT keep_from_service('exchange_currency');
