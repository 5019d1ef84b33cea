-- Positions in the write-ahead log, in bytes: which replica a reader may be served from.

REVOKE DELETE ON exchange_writeposition FROM exchange_runtime;

-- Stores that the writer has written until now. Called after its commit, in a transaction of its own.
CREATE FUNCTION record_write(p_writer uuid) RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
    INSERT INTO exchange_writeposition AS w (writer, position)
    VALUES (p_writer, pg_current_wal_insert_lsn() - '0/0')
    -- Evaluated once the row is locked: a later write never stores an earlier position.
    ON CONFLICT (writer) DO UPDATE SET position = pg_current_wal_insert_lsn() - '0/0'
$$;

-- Returns the position that the reader must see, and the one that this server has written. The first is
-- NULL until a write of everyone (the zero id) is recorded: the table is empty after a crash or failover.
-- Returns NULL on a standby, which a demoted primary is.
CREATE FUNCTION read_position(p_reader uuid) RETURNS bigint[] LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    required bigint;
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN NULL;
    END IF;
    SELECT greatest(everyone.position, own.position) INTO required
        FROM exchange_writeposition everyone
        LEFT JOIN exchange_writeposition own ON own.writer = p_reader
        WHERE everyone.writer = '00000000-0000-0000-0000-000000000000';
    RETURN ARRAY[required, (pg_current_wal_flush_lsn() - '0/0')::bigint];
END $$;
