-- For tables whose rows are never changed or removed. The argument names the table of a partition.
CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', coalesce(TG_ARGV[0], TG_TABLE_NAME), TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION make_append_only(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER append_only_rows BEFORE UPDATE OR DELETE ON %1$s
                    FOR EACH ROW EXECUTE FUNCTION reject_change(%1$L)', target);
    EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION reject_change()', target);
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %s FROM exchange_runtime', target);
END $$;
REVOKE ALL ON FUNCTION make_append_only(regclass) FROM PUBLIC;

-- For tables that others reference without a foreign key: rows are never deleted.
CREATE FUNCTION make_permanent(target regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER permanent_rows BEFORE DELETE ON %s
                    FOR EACH ROW EXECUTE FUNCTION reject_change()', target);
    EXECUTE format('CREATE TRIGGER permanent_truncate BEFORE TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION reject_change()', target);
    EXECUTE format('REVOKE DELETE, TRUNCATE ON %s FROM exchange_runtime', target);
END $$;
REVOKE ALL ON FUNCTION make_permanent(regclass) FROM PUBLIC;

SELECT make_permanent('exchange_currency');
