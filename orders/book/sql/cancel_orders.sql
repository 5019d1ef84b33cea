-- Cancels the open orders of an owner (of tokens in `p_currency`, or NULL for all) and returns how many.
--
-- The caller has the owner's lock for itself (`lock_owner_alone`), so no order of the owner is being
-- placed.
CREATE FUNCTION cancel_orders_of(
    p_organisation uuid, p_member uuid, p_currency text, p_reason text, p_actor text
) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    v_orders uuid[];
BEGIN
    -- By organisation: open orders have an index by it.
    v_orders := ARRAY(
        SELECT o.id FROM orders_order o JOIN exchange_token t ON t.id = o.token_id
        WHERE o.organisation_id = p_organisation AND o.member_id IS NOT DISTINCT FROM p_member
            AND o.status = 'Active' AND (p_currency IS NULL OR t.currency_id = p_currency)
        ORDER BY o.id);
    PERFORM lock_orders_of(coalesce(p_member, p_organisation), v_orders);
    -- Those filled before their token was locked are closed already.
    RETURN (SELECT count(*) FILTER (WHERE close_order(o.id, p_reason, p_actor))
            FROM unnest(v_orders) o (id));
END $$;
REVOKE ALL ON FUNCTION cancel_orders_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cancel_orders_of TO exchange_runtime;

-- Cancels the newest open buys of an owner in `p_currency` until `p_needed` of it is available, or none is
-- left, and returns how many. The caller has the owner's lock for itself, as above.
CREATE FUNCTION cancel_buys_of(
    p_organisation uuid, p_member uuid, p_currency text, p_needed numeric, p_reason text,
    p_actor text
) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    v_owner uuid := coalesce(p_member, p_organisation);
    v_orders uuid[];
    v_order uuid;
    v_cancelled integer := 0;
BEGIN
    v_orders := ARRAY(
        SELECT o.id FROM orders_order o JOIN exchange_token t ON t.id = o.token_id
        WHERE o.organisation_id = p_organisation AND o.member_id IS NOT DISTINCT FROM p_member
            AND o.status = 'Active' AND o.type = 'Buy' AND t.currency_id = p_currency
        ORDER BY o.seq DESC);
    PERFORM lock_orders_of(v_owner, v_orders);
    FOREACH v_order IN ARRAY v_orders LOOP
        EXIT WHEN EXISTS (
            SELECT FROM wallets_account
            WHERE owner_id = v_owner AND asset_id = p_currency AND kind = 'available'
                AND balance >= p_needed);
        IF close_order(v_order, p_reason, p_actor) THEN
            v_cancelled := v_cancelled + 1;
        END IF;
    END LOOP;
    RETURN v_cancelled;
END $$;
REVOKE ALL ON FUNCTION cancel_buys_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cancel_buys_of TO exchange_runtime;

-- Takes the locks to close orders of one owner, in their order and before the first one is closed: tokens
-- by id, under which orders change, and accounts by id.
CREATE FUNCTION lock_orders_of(p_owner uuid, p_orders uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM exchange_token
        WHERE id IN (SELECT token_id FROM orders_order WHERE id = ANY (p_orders))
        ORDER BY id FOR NO KEY UPDATE;
    PERFORM 1 FROM wallets_account
        WHERE owner_id = p_owner AND kind IN ('available', 'reserved')
            AND asset_id IN (
                SELECT CASE WHEN o.type = 'Buy' THEN t.currency_id ELSE t.id::text END
                FROM orders_order o JOIN exchange_token t ON t.id = o.token_id
                WHERE o.id = ANY (p_orders))
        ORDER BY id FOR NO KEY UPDATE;
END $$;
REVOKE ALL ON FUNCTION lock_orders_of FROM PUBLIC;

-- Cancels those of `p_orders`, all of one token, that are still open, and returns how many. Their owners may
-- differ: the accounts of all are locked by id before the first one is closed.
CREATE FUNCTION cancel_orders_on(p_token uuid, p_orders uuid[], p_reason text, p_actor text)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM exchange_token WHERE id = p_token FOR NO KEY UPDATE;
    PERFORM 1 FROM wallets_account a
        WHERE a.kind IN ('available', 'reserved') AND (a.owner_id, a.asset_id) IN (
            SELECT o.owner_id, CASE WHEN o.type = 'Buy' THEN t.currency_id ELSE t.id::text END
            FROM orders_order o JOIN exchange_token t ON t.id = o.token_id
            WHERE o.id = ANY (p_orders) AND o.token_id = p_token AND o.status = 'Active')
        ORDER BY a.id FOR NO KEY UPDATE;
    RETURN (SELECT count(*) FILTER (WHERE close_order(o.id, p_reason, p_actor))
            FROM orders_order o
            WHERE o.id = ANY (p_orders) AND o.token_id = p_token AND o.status = 'Active');
END $$;
REVOKE ALL ON FUNCTION cancel_orders_on FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cancel_orders_on TO exchange_runtime;
