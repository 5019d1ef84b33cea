-- Monthly partitions of the tables that grow with time (decision 35).
--
-- The tables are in `public`, their partitions in the schema `partitions`, where only the owner has
-- rights: whatever the service does to a row passes the table with its guards. Each table has one
-- partition per month, the first one with everything earlier, and `<table>_later` with everything
-- later, so that no insert fails.

-- The month in the bound of a partition: a UUIDv7, whose first 48 bits are milliseconds, or a date.
CREATE FUNCTION partition_month(p_bound text) RETURNS date
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN p_bound IN ('MINVALUE', 'MAXVALUE') THEN NULL
        WHEN length(p_bound) = 36 THEN
            date '1970-01-01' + (('x' || left(replace(p_bound, '-', ''), 12))::bit(48)::bigint
                                 / 86400000)::integer
        ELSE p_bound::date
    END
$$;

-- The smallest UUIDv7 of a day (UTC).
CREATE FUNCTION first_id_of(p_day date) RETURNS uuid
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT rpad(lpad(to_hex((p_day - date '1970-01-01') * 86400000::bigint), 12, '0'), 32, '0')::uuid
$$;

-- The partitions, oldest first: the months from `starts` until before `ends`. NULL is open.
CREATE FUNCTION month_partitions()
RETURNS TABLE (parent text, partition text, starts date, ends date)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.relname, c.relname, public.partition_month(bounds[1]), public.partition_month(bounds[2])
    FROM pg_inherits i
    JOIN pg_class p ON p.oid = i.inhparent AND p.relkind = 'p'
    JOIN pg_class c ON c.oid = i.inhrelid
    CROSS JOIN regexp_match(pg_get_expr(c.relpartbound, c.oid),
                            'FROM \(''?([^'')]+)''?\) TO \(''?([^'')]+)''?\)') bounds
    WHERE p.relnamespace = 'public'::regnamespace
    ORDER BY 1, 3 NULLS FIRST
$$;

CREATE FUNCTION partition_bound(p_month date, p_uuid boolean) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN p_uuid THEN public.first_id_of(p_month)::text ELSE p_month::text END
$$;

CREATE FUNCTION attach_partition(
    p_parent text, p_partition text, p_starts date, p_ends date, p_uuid boolean
) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION partitions.%I FOR VALUES FROM (%L) TO (%s)',
                   p_parent, p_partition, public.partition_bound(p_starts, p_uuid),
                   coalesce(quote_literal(public.partition_bound(p_ends, p_uuid)), 'MAXVALUE'));
END $$;
REVOKE ALL ON FUNCTION attach_partition FROM PUBLIC;

-- Protects a partition against TRUNCATE, which the guards of its table do not see.
CREATE FUNCTION guard_partition(p_partition text, p_parent text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER partition_truncate BEFORE TRUNCATE ON partitions.%I
                    FOR EACH STATEMENT EXECUTE FUNCTION public.reject_change(%L)',
                   p_partition, p_parent);
END $$;
REVOKE ALL ON FUNCTION guard_partition FROM PUBLIC;

-- Adds the partitions of the current and the next three months to a table; returns how many it added.
--
-- Runs as the owner, since the service owns nothing. It takes no months, so the service can add these
-- only. It locks the table for a moment, at most once a month, and gives up when the table is in use
-- for longer than half a second. Each table needs a transaction of its own: a request holds several.
-- Rows that `later` has because no partition was added in time are moved to their months.
CREATE FUNCTION add_partitions(p_table text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    v_until date := date_trunc('month', now() AT TIME ZONE 'UTC') + interval '4 months';
    v_month date;
    v_next date;
    v_added integer := 0;
    v_name text;
    v_key text;
    v_uuid boolean;
    v_columns text;
    t record;
BEGIN
    PERFORM pg_advisory_xact_lock(x'5041525453'::bigint);
    FOR t IN
        SELECT parent, partition, starts FROM public.month_partitions()
        WHERE parent = p_table AND ends IS NULL AND starts < v_until
    LOOP
        SELECT string_agg(quote_ident(attname), ', '), min(quote_ident(attname)) FILTER (WHERE is_key),
               bool_or(is_key AND atttypid = 'uuid'::regtype)
            INTO v_columns, v_key, v_uuid
        FROM (
            SELECT a.attname, a.atttypid, a.attnum = p.partattrs[0] AS is_key
            FROM pg_attribute a JOIN pg_partitioned_table p ON p.partrelid = a.attrelid
            WHERE a.attrelid = format('public.%I', t.parent)::regclass AND a.attnum > 0
                AND NOT a.attisdropped
        ) a;
        EXECUTE format('ALTER TABLE public.%I DETACH PARTITION partitions.%I', t.parent, t.partition);
        v_month := t.starts;
        WHILE v_month < v_until LOOP
            v_next := v_month + interval '1 month';
            v_name := t.parent || to_char(v_month, '_YYYY_MM');
            EXECUTE format('CREATE TABLE partitions.%I (LIKE public.%I INCLUDING DEFAULTS
                            INCLUDING CONSTRAINTS INCLUDING STORAGE)', v_name, t.parent);
            EXECUTE format('WITH moved AS (DELETE FROM partitions.%I WHERE %s < %L RETURNING %s)
                            INSERT INTO %s (%4$s) SELECT %4$s FROM moved',
                           t.partition, v_key, public.partition_bound(v_next, v_uuid), v_columns,
                           format('partitions.%I', v_name));
            PERFORM public.attach_partition(t.parent, v_name, v_month, v_next, v_uuid);
            PERFORM public.guard_partition(v_name, t.parent);
            v_month := v_next;
            v_added := v_added + 1;
        END LOOP;
        PERFORM public.attach_partition(t.parent, t.partition, v_until, NULL, v_uuid);
    END LOOP;
    RETURN v_added;
END $$;
REVOKE ALL ON FUNCTION add_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_partitions TO exchange_runtime;

-- Collects the statistics of the tables as a whole, which autovacuum does for partitions only.
CREATE FUNCTION analyze_partitioned() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_parent text;
BEGIN
    FOR v_parent IN SELECT DISTINCT parent FROM public.month_partitions() LOOP
        EXECUTE format('ANALYZE public.%I', v_parent);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION analyze_partitioned FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_partitioned TO exchange_runtime;

SELECT guard_partition(partition, parent) FROM month_partitions();
