-- The checkpoint of the proof of books (wallets/ledger/checkpoint.py): of each account, the entries of
-- the transfers whose transaction is below the position.

-- The sum, number and digest of the entries from one position up to another, by account. The digest
-- is the sum of a hash of each entry with its transfer, so a later change of one shows even where sums
-- stay equal. (The hash of a record is linear in the hashes of its columns: summed as it is, two values
-- could change places.)
CREATE FUNCTION entries_by_account(p_from bigint, p_to bigint)
RETURNS TABLE (account_id uuid, total numeric, entries bigint, digest numeric)
LANGUAGE sql STABLE AS $$
    SELECT e.account_id, sum(e.amount), count(*), sum(hashtextextended(hash_record_extended(ROW(
               e.id, e.asset_id, e.amount, e.balance_after, t.id, t.kind, t.reference, t.subject_id,
               t.actor, t.memo, t.created_at, t.created_txid), 0)::text, 0))
    FROM public.wallets_transfer t JOIN public.wallets_entry e ON e.transfer_id = t.id
    WHERE t.created_txid >= p_from AND t.created_txid < p_to
    GROUP BY e.account_id
$$;

-- Adds the entries from `p_from`, the position of the checkpoint (NULL without one), up to `p_to`, and
-- returns true; false if the checkpoint is at another position. The amounts come from the ledger alone.
CREATE FUNCTION advance_checkpoint(p_from bigint, p_to bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    LOCK TABLE wallets_checkpoint IN SHARE ROW EXCLUSIVE MODE;
    IF (SELECT position FROM wallets_checkpoint) IS DISTINCT FROM p_from THEN
        RETURN false;
    END IF;
    IF p_to < p_from OR p_to > pg_snapshot_xmin(pg_current_snapshot())::text::bigint THEN
        RAISE EXCEPTION 'the checkpoint cannot advance to transaction %', p_to
            USING ERRCODE = 'restrict_violation',
                  DETAIL = 'It is before the checkpoint, or transactions before it are running.';
    END IF;
    INSERT INTO wallets_checkpointbalance AS c (account_id, total, entries, digest)
    SELECT e.account_id, e.total, e.entries, e.digest
    FROM entries_by_account(coalesce(p_from, 0), p_to) e
    ON CONFLICT (account_id) DO UPDATE SET total = c.total + excluded.total,
        entries = c.entries + excluded.entries, digest = c.digest + excluded.digest;
    INSERT INTO wallets_checkpoint (id, position, taken_at) VALUES (1, p_to, now())
    ON CONFLICT (id) DO UPDATE SET position = excluded.position, taken_at = excluded.taken_at;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION advance_checkpoint FROM PUBLIC;
GRANT EXECUTE ON FUNCTION advance_checkpoint TO exchange_runtime;

-- The next proof is then a full one, and takes a new checkpoint.
CREATE FUNCTION remove_checkpoint() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    LOCK TABLE wallets_checkpoint IN SHARE ROW EXCLUSIVE MODE;
    DELETE FROM wallets_checkpoint;
    DELETE FROM wallets_checkpointbalance;
END $$;
REVOKE ALL ON FUNCTION remove_checkpoint FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_checkpoint TO exchange_runtime;

REVOKE ALL ON wallets_checkpoint, wallets_checkpointbalance FROM exchange_runtime;
GRANT SELECT ON wallets_checkpoint, wallets_checkpointbalance TO exchange_runtime;
