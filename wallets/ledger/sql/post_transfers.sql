-- The stem of the ids of a call's entries (exchange/core/sql/ids.sql): by the clock, but after all entries
-- that are committed, since the clock of a server that took over may be behind, and running balances
-- read entries by id.
--
-- VOLATILE: it sees what was committed while its caller waited for the accounts.
CREATE FUNCTION entry_stem(p_request uuid) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_stem text := public.id_stem(p_request);
    -- Twelve digits of milliseconds, a 7, three of fractions.
    v_last text := (
        SELECT replace(left(e.id::text, 18), '-', '') FROM public.wallets_entry e
        ORDER BY e.id DESC LIMIT 1);
BEGIN
    IF left(v_stem, 16) > v_last OR v_last IS NULL THEN
        RETURN v_stem;
    END IF;
    RETURN overlay(
        lpad(to_hex(('x0' || overlay(v_last PLACING '' FROM 13 FOR 1))::bit(64)::bigint + 1), 15, '0')
        PLACING '7' FROM 13 FOR 0) || substr(v_stem, 17);
END $$;

-- Writes transfers and their entries: the only function that does, one or many in one call.
--
-- The first six arrays have one element per transfer, the last three one per leg, which names its
-- transfer. Legs of zero are skipped, and so are transfers whose legs are all zero. Owners' accounts
-- are locked in the order of their ids before entries get theirs, so an account's entry ids follow
-- its balance.
--
-- Errors: account_balance_not_negative (overdrawn), transfer_reference_once and similar (posted
-- before), transfer_balanced and the other guards of transfer_guard.sql; for an unknown account, an
-- entry without asset.
--
-- For functions that run as the owner; the service's login uses `post_service_transfers`. (The planner
-- settings keep the lock order: accounts are reached by key, one after another, in the order of `x`.)
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
        SELECT t.id, t.kind, t.reference, t.subject, t.actor, t.memo, clock_timestamp(), 0
        FROM unnest(p_transfers, p_kinds, p_references, p_subjects, p_actors, p_memos)
            t (id, kind, reference, subject, actor, memo)
        WHERE t.id IN (SELECT leg.transfer FROM leg)
    ), changed AS (
        -- System accounts have no stored balance.
        UPDATE public.wallets_account a SET balance = a.balance + x.amount
        FROM (
            SELECT account, sum(amount) AS amount FROM leg GROUP BY account ORDER BY account
        ) x
        WHERE a.id = x.account AND a.balance IS NOT NULL
        RETURNING a.id, a.asset_id, a.balance
    ), locked AS (
        -- The aggregate runs once all accounts are locked.
        SELECT public.entry_stem(p_transfers[1]) AS stem, count(*) FROM changed
    )
    INSERT INTO public.wallets_entry
        (id, transfer_id, account_id, asset_id, amount, balance_after)
    SELECT public.nth_id(locked.stem, '1', leg.n), leg.transfer, leg.account,
           coalesce(changed.asset_id,
                    (SELECT asset_id FROM public.wallets_account WHERE id = leg.account)),
           leg.amount,
           -- The final balance less the later legs of the account.
           changed.balance - coalesce(sum(leg.amount) OVER (
               PARTITION BY leg.account ORDER BY leg.n
               ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0)
        FROM leg CROSS JOIN locked LEFT JOIN changed ON changed.id = leg.account;
END $$;
REVOKE ALL ON FUNCTION post_transfers FROM PUBLIC;

-- The same for the service's login, limited to the kinds that transfer_rules.sql allows it.
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
