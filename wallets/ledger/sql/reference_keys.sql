-- How references of the bank are compared: without case, width, invisible characters and spaces, of
-- which one transfer has several spellings (as typed, as copied from a PDF, in full-width letters).
-- Invisible are format characters, fillers and variation selectors. Keys are cut, as an index takes no
-- longer ones.
CREATE FUNCTION reference_key(p_reference text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(lower(regexp_replace(normalize(regexp_replace(p_reference,
        '[\u00AD\u034F\u0600-\u0605\u061C\u06DD\u070F\u115F\u1160\u17B4\u17B5\u180B-\u180E\u200B-\u200F'
        '\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\U000E0000-\U000E0FFF]+',
        '', 'g'), NFKC), '\s+', '', 'g')), 200)
$$;

CREATE FUNCTION set_reference_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.reference_key := public.reference_key(NEW.reference);
    RETURN NEW;
END $$;
