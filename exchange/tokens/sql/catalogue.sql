-- A search query from the words of a text: prefixes of words of a name, in any order, split as those of
-- `exchange_token.words`. Give it a folded text (`fold_text`). NULL, which matches nothing, if there are none.
CREATE FUNCTION name_words(p_text text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery
    FROM unnest(to_tsvector('simple', regexp_replace(p_text, '[^[:alnum:]]+', ' ', 'g')))
$$;
