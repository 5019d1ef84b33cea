-- The smallest UUIDv7 of the millisecond of `p_moment` (as `exchange.core.ids.first_id_at`).
CREATE FUNCTION first_id_at(p_moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN overlay(overlay(
    lpad(to_hex(floor(extract(epoch FROM p_moment) * 1000)::bigint), 12, '0')
    || '70008000000000000000' PLACING '-' FROM 9 FOR 0) PLACING '-' FROM 14 FOR 0)::uuid;

-- Whether an id was made within an hour of `p_moment`: its first six bytes are milliseconds. (For
-- millions of rows; building the ids of the bounds takes ten times as long.)
CREATE FUNCTION id_is_of(p_id uuid, p_moment timestamptz) RETURNS boolean LANGUAGE sql STABLE
RETURN substring(uuid_send(p_id) FROM 1 FOR 6) BETWEEN
    substring(int8send(((date_part('epoch', p_moment) - 3600) * 1000)::bigint) FROM 3)
    AND substring(int8send(((date_part('epoch', p_moment) + 3600) * 1000)::bigint) FROM 3);
