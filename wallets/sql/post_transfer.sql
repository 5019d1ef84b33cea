-- Posts one transfer: locks the owners' accounts in the order of their ids, changes their
-- balances, writes header and legs. The arrays run in parallel, one element a leg, no account
-- twice. An owner's balance below zero is refused by account_balance_not_negative, a repeated
-- reference by its unique index, an unbalanced transfer at commit.
CREATE OR REPLACE FUNCTION post_transfer(
    p_id uuid, p_kind text, p_reference text, p_subject uuid, p_actor text, p_memo text,
    p_entries uuid[], p_accounts uuid[], p_amounts numeric[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    written integer;
BEGIN
    PERFORM 1 FROM wallets_account
        WHERE id = ANY (p_accounts) AND balance IS NOT NULL
        ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO wallets_transfer
        (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
    VALUES (p_id, p_kind, p_reference, p_subject, p_actor, p_memo, now(), 0);
    WITH leg AS (
        SELECT * FROM unnest(p_entries, p_accounts, p_amounts) AS l (entry_id, account_id, amount)
    ), changed AS (
        UPDATE wallets_account a SET balance = a.balance + leg.amount
        FROM leg WHERE a.id = leg.account_id AND a.balance IS NOT NULL
        RETURNING a.id, a.balance
    )
    INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount, balance_after)
    SELECT leg.entry_id, p_id, a.id, a.asset_id, leg.amount, changed.balance
        FROM leg
        JOIN wallets_account a ON a.id = leg.account_id
        LEFT JOIN changed ON changed.id = a.id;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written <> cardinality(p_accounts)
        OR written <> (SELECT count(DISTINCT x) FROM unnest(p_accounts) AS x)
    THEN
        RAISE EXCEPTION 'transfer % names an account twice or one that is not there', p_reference
            USING ERRCODE = 'foreign_key_violation';
    END IF;
END $$;
REVOKE ALL ON FUNCTION
    post_transfer(uuid, text, text, uuid, text, text, uuid[], uuid[], numeric[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    post_transfer(uuid, text, text, uuid, text, text, uuid[], uuid[], numeric[])
    TO exchange_runtime;
