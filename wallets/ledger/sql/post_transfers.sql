-- The one function that writes transfers and entries: a set of one or many, in one call.
--
-- The first six arrays run in parallel, one element a transfer; the last three run in parallel, one
-- element a leg, which names its transfer. A leg of zero is left out, and so is a transfer whose
-- legs are all zero. Owners' accounts are locked in the order of their ids, and entries get their ids
-- after that: the ids of an account's entries follow its balance.
--
-- Refusals: account_balance_not_negative (an owner's balance would fall below zero),
-- transfer_reference_once and its like (posted before), transfer_balanced and the other guards of
-- transfer_guard.sql; for an account that is not there, that an entry has no asset.
--
-- For functions that run as the owner with a fixed search path; every table here is named with its
-- schema all the same. The service's own login posts through `post_service_transfers`. (The settings are
-- what holds the order of locks: accounts are reached by key, one after the other, as `x` has them.)
CREATE FUNCTION post_transfers(
    p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[],
    p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]
) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH leg AS (
        SELECT l.transfer, l.account, l.amount, l.n
        FROM unnest(p_leg_transfers, p_accounts, p_amounts)
            WITH ORDINALITY l (transfer, account, amount, n)
        WHERE l.amount IS DISTINCT FROM 0
    ), transfer AS (
        INSERT INTO public.wallets_transfer
            (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
        SELECT t.id, t.kind, t.reference, t.subject, t.actor, t.memo, now(), 0
        FROM unnest(p_transfers, p_kinds, p_references, p_subjects, p_actors, p_memos)
            t (id, kind, reference, subject, actor, memo)
        WHERE t.id IN (SELECT leg.transfer FROM leg)
    ), changed AS (
        -- The exchange's own accounts keep no balance.
        UPDATE public.wallets_account a SET balance = a.balance + x.amount
        FROM (
            SELECT account, sum(amount) AS amount FROM leg GROUP BY account ORDER BY account
        ) x
        WHERE a.id = x.account AND a.balance IS NOT NULL
        RETURNING a.id, a.asset_id, a.balance
    ), locked AS (
        -- The aggregate is there for its time: once all accounts are locked.
        SELECT public.id_stem(p_transfers[1]) AS stem, count(*) FROM changed
    )
    INSERT INTO public.wallets_entry
        (id, transfer_id, account_id, asset_id, amount, balance_after)
    SELECT public.nth_id(locked.stem, '1', leg.n), leg.transfer, leg.account,
           coalesce(changed.asset_id,
                    (SELECT asset_id FROM public.wallets_account WHERE id = leg.account)),
           leg.amount,
           -- What the account came to, less what its later legs moved.
           changed.balance - coalesce(sum(leg.amount) OVER (
               PARTITION BY leg.account ORDER BY leg.n
               ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0)
        FROM leg CROSS JOIN locked LEFT JOIN changed ON changed.id = leg.account;
END $$;
REVOKE ALL ON FUNCTION post_transfers FROM PUBLIC;

-- The same for the service's own login, which posts no other kinds than rules let it
-- (transfer_rules.sql).
CREATE FUNCTION post_service_transfers(
    p_transfers uuid[], p_kinds text[], p_references text[], p_subjects uuid[], p_actors text[],
    p_memos text[], p_leg_transfers uuid[], p_accounts uuid[], p_amounts numeric[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    v_kind text;
BEGIN
    SELECT k INTO v_kind FROM unnest(p_kinds) k
        LEFT JOIN wallets_transferrule r ON r.kind = k
        WHERE r.by_service IS NOT TRUE LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'a transfer of kind % is posted by its own function only', v_kind
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT p_leg_transfers @> p_transfers THEN
        RAISE EXCEPTION 'a transfer has no legs'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
    PERFORM post_transfers(p_transfers, p_kinds, p_references, p_subjects, p_actors, p_memos,
                           p_leg_transfers, p_accounts, p_amounts);
END $$;
REVOKE ALL ON FUNCTION post_service_transfers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION post_service_transfers TO exchange_runtime;
