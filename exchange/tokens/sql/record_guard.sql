-- The record of a distribution without a clock: `next_record_at` says from when on no unit of a token
-- changes hands, until the record is made. What would change an owner asks under the lock of the token.

-- The distributions above set it, by a trigger of their own; the service's login does not.
CREATE TRIGGER keep_next_record BEFORE UPDATE OF next_record_at, next_payment_date, units_held ON exchange_token
    FOR EACH ROW WHEN (current_user = 'exchange_runtime'
                       AND (OLD.next_record_at, OLD.next_payment_date, OLD.units_held)
                           IS DISTINCT FROM (NEW.next_record_at, NEW.next_payment_date, NEW.units_held))
    EXECUTE FUNCTION kept_columns();

-- Why no unit changes hands at `p_now`; NULL where they do. A record takes a moment, units that are to be
-- taken back (`p_held`) can wait for days.
CREATE FUNCTION record_wait(p_record timestamptz, p_held boolean, p_now timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_record <= p_now
        THEN CASE WHEN p_held THEN 'units_held' ELSE 'record_pending' END END
$$;

-- Whether the record of one of these tokens is due. The caller has locked them in an earlier statement,
-- so that the clock is read after the lock.
CREATE FUNCTION record_pending(p_tokens uuid[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.exchange_token t
        WHERE t.id = ANY (p_tokens) AND t.next_record_at <= clock_timestamp());
END $$;
