-- What a token is found by: the words of its name. Words only: what stands between letters and digits is
-- no part of one. (A generated column would be made anew by every trade, which writes totals.)

CREATE FUNCTION token_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := to_tsvector(
        'simple', coalesce(regexp_replace(NEW.name, '[^[:alnum:]]+', ' ', 'g'), ''));
    RETURN NEW;
END $$;
CREATE TRIGGER token_words BEFORE INSERT OR UPDATE OF name, words ON exchange_token
    FOR EACH ROW EXECUTE FUNCTION token_words();
