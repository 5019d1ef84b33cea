-- How times look on the wire, and the rounding of what we compute.

-- STABLE, as to_char is: PostgreSQL then puts the body in place of the call.
CREATE OR REPLACE FUNCTION wire_time(moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- PostgreSQL rounds numerics half away from zero; the exchange rounds half-even.
CREATE OR REPLACE FUNCTION round_half_even(value numeric, decimals integer) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    step numeric := power(10::numeric, -decimals);
    cut  numeric := trunc(value, decimals);
    rest numeric := abs(value - cut);
BEGIN
    IF rest * 2 > step OR (rest * 2 = step AND mod(trunc(abs(cut) / step), 2) = 1) THEN
        RETURN round(cut + sign(value) * step, decimals);
    END IF;
    RETURN round(cut, decimals);
END $$;
