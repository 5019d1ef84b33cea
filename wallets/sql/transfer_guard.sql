-- What the legs of a transfer are held to, and a transfer to its legs.

-- Every leg joins a transfer of its own transaction, is of its account's asset, and has no more
-- decimals than that. All legs of one asset come in one statement and sum to zero, so there are two
-- or more: none is zero. Whatever statements a transaction is made of, each leaves every transfer
-- balanced, and no later leg can join alone.
--
-- One look for all legs of a statement, and one each at their transfers and assets. Transfers and
-- accounts are never removed and never change what they are (append_only_rows, account_guard): foreign
-- keys would look, and lock, leg by leg.
CREATE OR REPLACE FUNCTION legs_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    e record;
BEGIN
    SELECT g.transfer_id, g.asset_id, g.strange, a.decimals < g.decimals AS long,
           t.created_txid IS DISTINCT FROM txid_current() AS closed
        INTO e
        FROM (
            SELECT n.transfer_id, n.asset_id, sum(n.amount) AS total,
                   max(min_scale(n.amount)) AS decimals, bool_or(c.id IS NULL) AS strange
            FROM added n
            LEFT JOIN public.wallets_account c
                ON c.id = n.account_id AND c.asset_id = n.asset_id
            GROUP BY n.transfer_id, n.asset_id
        ) g
        LEFT JOIN public.wallets_asset a ON a.id = g.asset_id
        LEFT JOIN public.wallets_transfer t ON t.id = g.transfer_id
        WHERE g.total <> 0 OR g.strange OR a.decimals < g.decimals
            OR t.created_txid IS DISTINCT FROM txid_current()
        LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF e.closed THEN
        RAISE EXCEPTION 'transfer % is closed', e.transfer_id
            USING ERRCODE = 'restrict_violation';
    ELSIF e.strange THEN
        RAISE EXCEPTION 'transfer % has a leg in % of an account that does not count it',
            e.transfer_id, e.asset_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'entry_asset_of_account';
    ELSIF e.long THEN
        RAISE EXCEPTION 'transfer % has a leg with more decimals than %', e.transfer_id, e.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_decimals';
    END IF;
    RAISE EXCEPTION 'transfer % does not balance in %', e.transfer_id, e.asset_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
END $$;

DROP TRIGGER IF EXISTS legs_guard ON wallets_entry;
CREATE TRIGGER legs_guard AFTER INSERT ON wallets_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION legs_guard();

-- A transfer has legs: checked when the transaction commits, for it is there before them.
CREATE OR REPLACE FUNCTION transfer_has_legs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.wallets_entry WHERE transfer_id = NEW.id) THEN
        RAISE EXCEPTION 'transfer % has no legs', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS transfer_has_legs ON wallets_transfer;
CREATE CONSTRAINT TRIGGER transfer_has_legs AFTER INSERT ON wallets_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transfer_has_legs();
