-- Sets the search vector of a token: the words of its name as in `exchange.core.words`. (A generated column
-- would be computed again by every trade, which writes totals.)

CREATE FUNCTION token_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := to_tsvector('simple', coalesce(regexp_replace(
        fold_text(NEW.name) || apostrophe_parts(NEW.name), '[^[:alnum:]]+', ' ', 'g'), ''));
    RETURN NEW;
END $$;
CREATE TRIGGER token_words BEFORE INSERT OR UPDATE OF name, words ON exchange_token
    FOR EACH ROW EXECUTE FUNCTION token_words();
