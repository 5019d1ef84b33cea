-- How times look on the wire, and the rounding of what we compute.

-- STABLE, as to_char is: PostgreSQL then puts the body in place of the call.
CREATE FUNCTION wire_time(moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- PostgreSQL rounds numerics half away from zero; the exchange rounds half-even: half way between
-- two neighbours (what is cut off is what is missing) the one whose last digit is even. An
-- expression, which PostgreSQL puts in place of the call.
CREATE FUNCTION round_half_even(value numeric, decimals integer) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN value <> trunc(value, decimals)
        AND value - trunc(value, decimals) = round(value, decimals) - value
        AND mod(trunc(value, decimals) * power(10::numeric, decimals), 2) = 0
    THEN trunc(value, decimals)
    ELSE round(value, decimals)
END;
