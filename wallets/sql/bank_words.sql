-- What a bank record is searched by: the words of the payee's names, the account number, and the
-- number backwards behind an `r`, so that its last digits are the beginning of a word as well.
--
-- Query it by `name_words`. Names of functions are bound when this one is made: no search path.
CREATE OR REPLACE FUNCTION bank_words(p_account_name text, p_given_name text, p_number text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('pg_catalog.simple'::regconfig, regexp_replace(
    p_account_name || ' ' || p_given_name || ' ' || p_number || ' r' || reverse(p_number),
    '[^[:alnum:]]+', ' ', 'g'));
