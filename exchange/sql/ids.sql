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
