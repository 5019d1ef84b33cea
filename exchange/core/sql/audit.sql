-- Audit trail: one row in `exchange_change` for every change of an audited record.
--
-- Written only by the triggers below. The actor comes from settings of the transaction
-- (`exchange.actor`, `exchange.actor_label`, `exchange.via`; see exchange/core/audit_context.py); without
-- them the row names the database user.

-- For functions that receive their actor as an argument.
CREATE FUNCTION name_actor(p_actor text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('exchange.actor', true) IS DISTINCT FROM p_actor THEN
        PERFORM set_config('exchange.actor', p_actor, true),
                set_config('exchange.actor_label', '', true);
    END IF;
END $$;

-- For single statements: `SELECT f(…) FROM act_as(…)`.
CREATE FUNCTION act_as(p_actor text, p_label text, p_via text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('exchange.actor', p_actor, true),
            set_config('exchange.actor_label', p_label, true),
            set_config('exchange.via', p_via, true);
    RETURN true;
END $$;

CREATE FUNCTION write_change(
    p_table text, p_operation text, p_record text, p_about text, p_before jsonb, p_after jsonb
) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_role text := current_setting('role');
    v_user text := session_user;
BEGIN
    IF v_role NOT IN ('none', v_user) THEN
        v_user := v_user || ' as ' || v_role;
    END IF;
    INSERT INTO public.exchange_change
        (id, at, actor, actor_label, via, database_user, application, table_name, record_id,
         about_id, operation, before, after)
    VALUES (
        public.new_id(), clock_timestamp(),
        left(coalesce(nullif(current_setting('exchange.actor', true), ''),
                      'database:' || session_user), 120),
        left(coalesce(current_setting('exchange.actor_label', true), ''), 200),
        left(coalesce(current_setting('exchange.via', true), ''), 200),
        v_user, current_setting('application_name'),
        p_table, left(p_record, 64), left(coalesce(p_about, ''), 64), p_operation,
        p_before, p_after);
END $$;
REVOKE ALL ON FUNCTION write_change FROM PUBLIC;

-- Arguments: id column; column of the record it is about, or ''; hidden columns; omitted columns; table,
-- whose partitions have names of their own.
CREATE FUNCTION audit_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    v_old jsonb := to_jsonb(OLD);
    v_new jsonb := to_jsonb(NEW);
    v_row jsonb := coalesce(v_new, v_old);
    v_hidden text[] := TG_ARGV[2];
    v_before jsonb;
    v_after jsonb;
BEGIN
    SELECT jsonb_object_agg(c.name, c.old), jsonb_object_agg(c.name, c.new)
        INTO v_before, v_after
    FROM (
        SELECT k,
               CASE WHEN k = ANY (v_hidden) AND v_old -> k NOT IN ('null', '""')
                    THEN '"(hidden)"' ELSE v_old -> k END,
               CASE WHEN k = ANY (v_hidden) AND v_new -> k NOT IN ('null', '""')
                    THEN '"(hidden)"' ELSE v_new -> k END
        FROM jsonb_object_keys(v_row) k
        WHERE v_old -> k IS DISTINCT FROM v_new -> k
            AND (TG_OP = 'UPDATE' OR v_row -> k <> 'null')
            AND k <> ALL (TG_ARGV[3]::text[])
    ) c (name, old, new);
    IF TG_OP = 'UPDATE' AND v_after IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM public.write_change(
        TG_ARGV[4], TG_OP, v_row ->> TG_ARGV[0], v_row ->> TG_ARGV[1],
        CASE WHEN TG_OP <> 'INSERT' THEN v_before END,
        CASE WHEN TG_OP <> 'DELETE' THEN v_after END);
    RETURN NULL;
END $$;

CREATE FUNCTION audit_truncate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM public.write_change(TG_TABLE_NAME, TG_OP, '', '', NULL, NULL);
    RETURN NULL;
END $$;

-- For conditions: whether a SECURITY DEFINER function writes for the service, whose rows record their
-- own actor. Direct SQL cannot satisfy it: it runs as the runtime role itself or without that role.
-- (PL/pgSQL, because an SQL body would be parsed for every statement that fires the trigger.)
CREATE FUNCTION recorded_by_function() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN current_setting('role') = 'exchange_runtime' AND current_user <> 'exchange_runtime';
END $$;

-- Audit the table `target`.
--
-- `about` is a column with the id of another record whose history includes these changes. Values of
-- `hidden` columns are never stored, only that they changed. An UPDATE of `left_out` columns alone
-- fires no trigger. The conditions are SQL over OLD and NEW; NULL disables the operation.
CREATE FUNCTION audit_table(
    target regclass, record text DEFAULT 'id', about text DEFAULT '',
    hidden text[] DEFAULT '{}', left_out text[] DEFAULT '{}',
    inserts text DEFAULT 'true', updates text DEFAULT 'true', deletes text DEFAULT 'true'
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_columns text;
    v_unknown text;
    v_arguments text := format('%L, %L, %L, %L, %L', record, about, hidden, left_out, target);
    v_operation text;
    v_when text;
BEGIN
    SELECT string_agg(name, ', ') INTO v_unknown
    FROM unnest(hidden || left_out || record || nullif(about, '')) name
    WHERE name IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = target AND attname = name AND attnum > 0 AND NOT attisdropped);
    IF v_unknown IS NOT NULL THEN
        RAISE EXCEPTION '% has no columns %', target, v_unknown;
    END IF;
    IF left_out <> '{}' THEN
        SELECT ' OF ' || string_agg(quote_ident(attname), ', ' ORDER BY attname) INTO v_columns
        FROM pg_attribute
        WHERE attrelid = target AND attnum > 0 AND NOT attisdropped AND attname <> ALL (left_out);
    END IF;
    FOR v_operation, v_when IN
        VALUES ('INSERT', inserts), ('UPDATE', updates), ('DELETE', deletes)
    LOOP
        CONTINUE WHEN v_when IS NULL;
        EXECUTE format(
            'CREATE TRIGGER audit_%s AFTER %s%s ON %s FOR EACH ROW WHEN (%s)
             EXECUTE FUNCTION audit_row(%s)',
            lower(v_operation), v_operation,
            CASE WHEN v_operation = 'UPDATE' THEN v_columns END, target, v_when, v_arguments);
    END LOOP;
    EXECUTE format('CREATE TRIGGER audit_truncate AFTER TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION audit_truncate()', target);
END $$;
REVOKE ALL ON FUNCTION audit_table FROM PUBLIC;

SELECT make_append_only('exchange_change');
REVOKE INSERT ON exchange_change FROM exchange_runtime;

SELECT audit_table('exchange_currency', record => 'code');
