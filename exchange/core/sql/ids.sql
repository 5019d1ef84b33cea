-- A new UUIDv7, for functions that write more rows than their caller can know. PostgreSQL 18 has one;
-- for older servers the 12 bits after the milliseconds are fractions of one (RFC 9562 §6.2, method 3).

DO $version$ BEGIN
IF current_setting('server_version_num')::integer >= 180000 THEN
    CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE RETURN uuidv7();
ELSE
    CREATE FUNCTION new_id() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
    DECLARE
        micros bigint := extract(epoch FROM clock_timestamp()) * 1000000;
        stamp text := lpad(to_hex(micros / 1000), 12, '0');
    BEGIN
        RETURN (left(stamp, 8) || '-' || right(stamp, 4) || '-7'
            || lpad(to_hex((micros % 1000) * 4096 / 1000), 3, '0')
            || right(gen_random_uuid()::text, 18))::uuid;
    END $$;
END IF;
END $version$;

-- Ids for the rows of one request: a stem, a digit for the table, and the last 28 bits of the row's
-- number. The stem is the time, with fractions of a millisecond in 12 bits, and 30 random bits of the
-- request's id, since random bits of the operating system are slow.
CREATE FUNCTION id_stem(p_request uuid) RETURNS text LANGUAGE sql VOLATILE
RETURN overlay(
    lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000 * 4096)::bigint), 15, '0')
    PLACING '7' FROM 13 FOR 0) || substr(p_request::text, 20, 9);
CREATE FUNCTION nth_id(p_stem text, p_table text, n bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE
RETURN (p_stem || p_table || lpad(to_hex(n & 268435455), 7, '0'))::uuid;
