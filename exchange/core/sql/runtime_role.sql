-- The role the application acts as. It owns nothing; later files take from it what it must not do.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'exchange_runtime') THEN
        CREATE ROLE exchange_runtime NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- another database of the same server was migrated at the same moment
END $$;

DO $$
BEGIN
    -- A superuser needs no membership to act as the role; anybody else does.
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT exchange_runtime TO %I', current_user);
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    NULL;  -- an administrator made the role; migrations do not act as it, the service's login does
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM exchange_runtime;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM exchange_runtime;
GRANT USAGE ON SCHEMA public TO exchange_runtime;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO exchange_runtime;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO exchange_runtime;
-- Whatever this owner creates later, until this file is installed again.
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO exchange_runtime;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO exchange_runtime;

-- A temporary table could stand in for a table of ours in a function that forgets its schema.
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
