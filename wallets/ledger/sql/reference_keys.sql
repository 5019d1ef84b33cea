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

-- Records from before the key: of references that are the same now, the oldest has it. No guard exists
-- while this file runs.
UPDATE wallets_deposit d SET reference_key = k.key
FROM (
    SELECT id, reference_key(reference) AS key, row_number() OVER (
        PARTITION BY reference_key(reference), status = 'Failed' ORDER BY id) AS place
    FROM wallets_deposit WHERE channel = 'manual'
) k
WHERE d.id = k.id AND d.reference_key = '' AND (d.status = 'Failed' OR k.place = 1 AND NOT EXISTS (
    SELECT FROM wallets_deposit o WHERE o.reference_key = k.key AND o.status <> 'Failed'));
UPDATE wallets_treasurymovement m SET reference_key = k.key
FROM (
    SELECT id, reference_key(reference) AS key, row_number() OVER (
        PARTITION BY kind, reference_key(reference), status = 'Rejected' ORDER BY id) AS place
    FROM wallets_treasurymovement
) k
WHERE m.id = k.id AND m.reference_key = '' AND (m.status = 'Rejected' OR k.place = 1 AND NOT EXISTS (
    SELECT FROM wallets_treasurymovement o
    WHERE o.kind = m.kind AND o.reference_key = k.key AND o.status <> 'Rejected'));

-- What waits for the end of the transaction would block the changes of the tables that follow.
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;

CREATE FUNCTION set_reference_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.reference_key := public.reference_key(NEW.reference);
    RETURN NEW;
END $$;
CREATE TRIGGER reference_key BEFORE INSERT ON wallets_deposit
    FOR EACH ROW WHEN (NEW.channel = 'manual') EXECUTE FUNCTION set_reference_key();
CREATE TRIGGER reference_key BEFORE INSERT ON wallets_treasurymovement
    FOR EACH ROW EXECUTE FUNCTION set_reference_key();
