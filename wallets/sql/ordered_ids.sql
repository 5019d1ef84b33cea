-- The smallest UUIDv7 of the millisecond of `p_moment` (as `exchange.ids.first_id_at`).
CREATE OR REPLACE FUNCTION first_id_at(p_moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN overlay(overlay(
    lpad(to_hex(floor(extract(epoch FROM p_moment) * 1000)::bigint), 12, '0')
    || '70008000000000000000' PLACING '-' FROM 9 FOR 0) PLACING '-' FROM 14 FOR 0)::uuid;

-- Since when entries get their ids under the locks of their accounts. Those posted before got them from
-- their callers, before the lock, and one leg of each loan a random one; they can never be changed.
-- A database that begins empty has none of them.
DO $since$ BEGIN
    IF to_regprocedure('public.ids_ordered_since()') IS NULL THEN
        EXECUTE format(
            'CREATE FUNCTION public.ids_ordered_since() RETURNS timestamptz LANGUAGE sql IMMUTABLE
             RETURN %L::timestamptz',
            CASE WHEN EXISTS (SELECT FROM wallets_transfer) THEN clock_timestamp()
                 ELSE '2020-01-01 00:00:00+00' END);
    END IF;
END $since$;
