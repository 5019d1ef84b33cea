-- Cancels the open orders of an owner (of tokens in `p_currency`, or NULL for all) and returns how many.
--
-- The caller has the owner's lock for itself (`lock_owner_alone`), so no order of the owner is being
-- placed. Then all locks are taken in their order before the first order is closed: tokens by id, under
-- which orders change, and accounts by id.
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
    PERFORM 1 FROM exchange_token
        WHERE id IN (SELECT token_id FROM orders_order WHERE id = ANY (v_orders))
        ORDER BY id FOR NO KEY UPDATE;
    PERFORM 1 FROM wallets_account
        WHERE owner_id = coalesce(p_member, p_organisation) AND kind IN ('available', 'reserved')
            AND asset_id IN (
                SELECT CASE WHEN o.type = 'Buy' THEN t.currency_id ELSE t.id::text END
                FROM orders_order o JOIN exchange_token t ON t.id = o.token_id
                WHERE o.id = ANY (v_orders))
        ORDER BY id FOR NO KEY UPDATE;
    -- Those filled before their token was locked are closed already.
    RETURN (SELECT count(*) FILTER (WHERE close_order(o.id, p_reason, p_actor))
            FROM unnest(v_orders) o (id));
END $$;
REVOKE ALL ON FUNCTION cancel_orders_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cancel_orders_of TO exchange_runtime;
