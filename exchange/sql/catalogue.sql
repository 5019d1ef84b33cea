-- How lists of tokens find, and how they know that what they found still holds.

-- The words of a text as a query: each is the beginning of a word of a name, in any order. They are
-- cut out as those of `exchange_token.words` are. NULL, which finds nothing, where there are none.
CREATE OR REPLACE FUNCTION name_words(p_text text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery
    FROM unnest(to_tsvector('simple', regexp_replace(p_text, '[^[:alnum:]]+', ' ', 'g')))
$$;

-- Takes the place of the one in tokens.sql. The step is a random one: what a process remembers of a
-- version must not be taken for another state with the same number, which a change that was rolled
-- back or a restored backup would bring about.
CREATE OR REPLACE FUNCTION catalogue_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE public.exchange_catalogue SET version = version + 1 + floor(random() * 1000000000)::bigint;
    RETURN NULL;
END $$;
