-- The smallest UUIDv7 of the millisecond of `p_moment` (as `exchange.core.ids.first_id_at`).
CREATE FUNCTION first_id_at(p_moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN overlay(overlay(
    lpad(to_hex(floor(extract(epoch FROM p_moment) * 1000)::bigint), 12, '0')
    || '70008000000000000000' PLACING '-' FROM 9 FOR 0) PLACING '-' FROM 14 FOR 0)::uuid;
