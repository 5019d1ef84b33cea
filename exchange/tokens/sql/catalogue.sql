-- The words of a text as a query: each is the beginning of a word of a name, in any order. They are
-- cut out as those of `exchange_token.words` are. NULL, which finds nothing, where there are none.
CREATE FUNCTION name_words(p_text text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery
    FROM unnest(to_tsvector('simple', regexp_replace(p_text, '[^[:alnum:]]+', ' ', 'g')))
$$;
