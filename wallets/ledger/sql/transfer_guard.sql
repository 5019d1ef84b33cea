-- Checks of the legs of a transfer.

-- Every leg belongs to a transfer of its own transaction, has the asset of its account and no more
-- decimals than that asset. No leg leaves a negative balance, even if a later leg of the statement
-- would make up for it, and no transfer has two legs of one account. All legs of one asset come in one
-- statement and sum to zero, so there are at least two. Each statement thus leaves every transfer
-- balanced, and no later leg can be added alone.
--
-- One query checks all legs of a statement. Transfers and accounts are never removed and never change
-- identity (append_only_rows, account_guard), so foreign keys, which check and lock leg by leg, are
-- not needed.
CREATE FUNCTION legs_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    e record;
BEGIN
    SELECT g.transfer_id, g.asset_id, g.foreign_asset, g.overdrawn, g.repeated,
           a.decimals < g.decimals AS too_precise,
           t.created_txid IS DISTINCT FROM txid_current() AS closed
        INTO e
        FROM (
            SELECT n.transfer_id, n.asset_id, sum(n.amount) AS total,
                   max(min_scale(n.amount)) AS decimals, bool_or(c.id IS NULL) AS foreign_asset,
                   bool_or(n.balance_after < 0 AND c.kind <> 'receivable') AS overdrawn,
                   count(*) > count(DISTINCT n.account_id) AS repeated
            FROM added n
            LEFT JOIN public.wallets_account c
                ON c.id = n.account_id AND c.asset_id = n.asset_id
            GROUP BY n.transfer_id, n.asset_id
        ) g
        LEFT JOIN public.wallets_asset a ON a.id = g.asset_id
        LEFT JOIN public.wallets_transfer t ON t.id = g.transfer_id
        WHERE g.total <> 0 OR g.foreign_asset OR g.overdrawn OR g.repeated OR a.decimals < g.decimals
            OR t.created_txid IS DISTINCT FROM txid_current()
        LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    ELSIF e.closed THEN
        RAISE EXCEPTION 'transfer % is closed', e.transfer_id
            USING ERRCODE = 'restrict_violation';
    ELSIF e.foreign_asset THEN
        RAISE EXCEPTION 'transfer % has a leg in % of an account of another asset',
            e.transfer_id, e.asset_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'entry_asset_of_account';
    ELSIF e.overdrawn THEN
        RAISE EXCEPTION 'transfer % overdraws an account of %', e.transfer_id, e.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'account_balance_not_negative';
    ELSIF e.repeated THEN
        RAISE EXCEPTION 'transfer % has two legs of one account', e.transfer_id
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'transfer_account_once';
    ELSIF e.too_precise THEN
        RAISE EXCEPTION 'transfer % has a leg with more decimals than %', e.transfer_id, e.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_decimals';
    END IF;
    RAISE EXCEPTION 'transfer % does not balance in %', e.transfer_id, e.asset_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
END $$;

CREATE TRIGGER legs_guard AFTER INSERT ON wallets_entry REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION legs_guard();

-- Existence of legs and of the justifying record: transfer_rules.sql.
