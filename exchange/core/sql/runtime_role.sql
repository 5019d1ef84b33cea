-- The role of the application. It owns nothing; later files revoke what it must not do.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'exchange_runtime') THEN
        CREATE ROLE exchange_runtime NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- another database of the same server is migrated concurrently
END $$;

DO $$
BEGIN
    -- Everyone but a superuser needs membership to act as the role.
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT exchange_runtime TO %I', current_user);
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    NULL;  -- an administrator created the role; only the service's login acts as it
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM exchange_runtime;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM exchange_runtime;
GRANT USAGE ON SCHEMA public TO exchange_runtime;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO exchange_runtime;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO exchange_runtime;
-- For tables created later, until this file is installed again.
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO exchange_runtime;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO exchange_runtime;

-- A temporary table could shadow one of ours in a function without a schema.
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
