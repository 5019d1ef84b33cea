-- A new UUIDv7 for functions that write more rows than their caller can know. PostgreSQL 18 makes them
-- itself; for older servers the 12 bits after the milliseconds count fractions of one (RFC 9562 §6.2,
-- method 3).

DO $version$ BEGIN
IF current_setting('server_version_num')::integer >= 180000 THEN
    CREATE OR REPLACE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE RETURN uuidv7();
ELSE
    CREATE OR REPLACE FUNCTION new_id() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
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

-- Ids for many rows of one statement: a stem and the row's number. Random bits come from the operating
-- system, which takes ten times as long as this; 30 of them are the stem's.
CREATE OR REPLACE FUNCTION id_stem() RETURNS text LANGUAGE sql VOLATILE
RETURN left(public.new_id()::text, 28);
CREATE OR REPLACE FUNCTION nth_id(p_stem text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN (p_stem || lpad(to_hex(n), 8, '0'))::uuid;
