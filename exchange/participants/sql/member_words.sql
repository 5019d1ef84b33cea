-- Used by processes of the previous version, which search members and payers by it. Remove it with the
-- next release.
CREATE FUNCTION member_words(p_name text, p_email text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('pg_catalog.simple'::regconfig, regexp_replace(
    p_name || ' ' || split_part(p_email, '@', 1), '[^[:alnum:]]+', ' ', 'g'));
