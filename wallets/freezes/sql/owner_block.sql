-- Returns why money in `p_currency` may not leave an owner (the organisation without a member), or NULL:
-- 'account_frozen' or 'receivable_due' (wallets/freezes/errors.py). Asked after the balance check, in a
-- statement that starts after `lock_owners`.
CREATE FUNCTION owner_block(p_organisation uuid, p_member uuid, p_currency text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_owner uuid := coalesce(p_member, p_organisation);
BEGIN
    RETURN CASE
        WHEN EXISTS (
            SELECT FROM public.wallets_freeze f
            WHERE f.owner_id = v_owner AND f.lifted_at IS NULL
                AND (f.currency_id IS NULL OR f.currency_id = p_currency))
            THEN 'account_frozen'
        WHEN EXISTS (
            SELECT FROM public.wallets_account a
            WHERE a.owner_id = v_owner AND a.asset_id = p_currency AND a.kind = 'receivable'
                AND a.balance < 0)
            THEN 'receivable_due'
    END;
END $$;

-- Locks owners until the transaction ends, so that what blocks them stays as it is: shared among
-- requests, exclusive for a freeze and for what makes an owner owe. Accounts would not do: an owner can
-- be frozen who has no account yet, and an order is checked before its accounts are locked. The keys
-- are locked in one order, before everything else (decision 44).
CREATE FUNCTION lock_owners(p_owners uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(x.key)
        FROM (SELECT DISTINCT hashtextextended('owner ' || o, 0) AS key
              FROM unnest(p_owners) o WHERE o IS NOT NULL ORDER BY 1) x;
END $$;

CREATE FUNCTION lock_owner_alone(p_owner uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('owner ' || p_owner, 0));
END $$;
