-- Timestamps and references of the interface, and half-even rounding.

-- STABLE like to_char, so that PostgreSQL inlines it.
CREATE FUNCTION wire_time(moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- A document that all parties of a record share, with the references (exchange.core.references) for the
-- organisation that sent them.
CREATE FUNCTION with_references(p_document text, p_client_reference text, p_metadata jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(p_document, -1)
    || coalesce(',"client_reference":' || to_json(p_client_reference)::text, '')
    || coalesce(',"metadata":' || p_metadata::text, '') || '}';

-- PostgreSQL rounds numerics half away from zero; the exchange rounds half-even: a tie goes to the
-- neighbour whose last digit is even. A single expression, so that PostgreSQL inlines it.
CREATE FUNCTION round_half_even(value numeric, decimals integer) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN value <> trunc(value, decimals)
        AND value - trunc(value, decimals) = round(value, decimals) - value
        AND mod(trunc(value, decimals) * power(10::numeric, decimals), 2) = 0
    THEN trunc(value, decimals)
    ELSE round(value, decimals)
END;
