-- Creates the constructor of a composite type, a function of its name: `order_legs(transfers => …)`. Values are
-- passed by name; a column that is not named is NULL. The planner replaces the call by the row.
CREATE FUNCTION make_constructor(p_type regtype) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_columns record;
BEGIN
    SELECT string_agg(format('%I %s DEFAULT NULL', attname, format_type(atttypid, NULL)), ', '
                      ORDER BY attname) AS declared,
           string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS named
        INTO v_columns
        FROM pg_attribute
        WHERE attrelid = (SELECT typrelid FROM pg_type WHERE oid = p_type)
            AND attnum > 0 AND NOT attisdropped;
    EXECUTE format(
        'CREATE FUNCTION public.%1$s(%2$s) RETURNS %1$s LANGUAGE sql IMMUTABLE RETURN ROW(%3$s)::%1$s',
        p_type, v_columns.declared, v_columns.named);
END $$;
REVOKE ALL ON FUNCTION make_constructor FROM PUBLIC;
