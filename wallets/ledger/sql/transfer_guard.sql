-- What the legs of a transfer are held to.

-- Every leg joins a transfer of its own transaction, is of its account's asset, and has no more
-- decimals than that. It leaves no balance below zero, also where later legs of the statement make up
-- for it, and no transfer names an account twice. All legs of one asset come in one statement and sum to zero, so there are two
-- or more: none is zero. Whatever statements a transaction is made of, each leaves every transfer
-- balanced, and no later leg can join alone.
--
-- One look for all legs of a statement, and one each at their transfers and assets. Transfers and
-- accounts are never removed and never change what they are (append_only_rows, account_guard): foreign
-- keys would look, and lock, leg by leg.
CREATE FUNCTION legs_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    e record;
BEGIN
    SELECT g.transfer_id, g.asset_id, g.strange, g.overdrawn, g.repeated,
           a.decimals < g.decimals AS long,
           t.created_txid IS DISTINCT FROM txid_current() AS closed
        INTO e
        FROM (
            SELECT n.transfer_id, n.asset_id, sum(n.amount) AS total,
                   max(min_scale(n.amount)) AS decimals, bool_or(c.id IS NULL) AS strange,
                   bool_or(n.balance_after < 0) AS overdrawn,
                   count(*) > count(DISTINCT n.account_id) AS repeated
            FROM added n
            LEFT JOIN public.wallets_account c
                ON c.id = n.account_id AND c.asset_id = n.asset_id
            GROUP BY n.transfer_id, n.asset_id
        ) g
        LEFT JOIN public.wallets_asset a ON a.id = g.asset_id
        LEFT JOIN public.wallets_transfer t ON t.id = g.transfer_id
        WHERE g.total <> 0 OR g.strange OR g.overdrawn OR g.repeated OR a.decimals < g.decimals
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
    ELSIF e.overdrawn THEN
        RAISE EXCEPTION 'transfer % takes more of % than there is', e.transfer_id, e.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'account_balance_not_negative';
    ELSIF e.repeated THEN
        RAISE EXCEPTION 'transfer % names an account twice', e.transfer_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'transfer_account_once';
    ELSIF e.long THEN
        RAISE EXCEPTION 'transfer % has a leg with more decimals than %', e.transfer_id, e.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_decimals';
    END IF;
    RAISE EXCEPTION 'transfer % does not balance in %', e.transfer_id, e.asset_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
END $$;

CREATE TRIGGER legs_guard AFTER INSERT ON wallets_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION legs_guard();

-- That a transfer has legs, and a record behind it: transfer_rules.sql.
