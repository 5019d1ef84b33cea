-- Cancels the open rest of an order and releases what is reserved for it. False when the order is
-- over already. Takes the lock of the token first, as everything that changes a book does.
CREATE OR REPLACE FUNCTION close_order(p_order uuid, p_reason text, p_actor text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    o orders_order;
    v_asset text;
BEGIN
    PERFORM 1 FROM exchange_token
        WHERE id = (SELECT token_id FROM orders_order WHERE id = p_order) FOR NO KEY UPDATE;
    SELECT * INTO o FROM orders_order WHERE id = p_order FOR NO KEY UPDATE;
    IF o.id IS NULL OR o.status <> 'Active' THEN
        RETURN false;
    END IF;
    SELECT CASE WHEN o.type = 'Buy' THEN currency_id ELSE id::text END INTO v_asset
        FROM exchange_token WHERE id = o.token_id;
    PERFORM post_legs('order_release', 'order:' || o.id || ':release', o.id, p_actor,
        left(p_reason, 300),
        ARRAY[account_of(o.owner_id, v_asset, 'reserved'),
              account_of(o.owner_id, v_asset, 'available')],
        ARRAY[-o.reserved, o.reserved]);
    UPDATE orders_order SET status = 'Cancelled', reserved = 0, reason = left(p_reason, 100),
        closed_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = o.id RETURNING * INTO o;
    PERFORM emit_order_end(o);
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION close_order FROM PUBLIC;
GRANT EXECUTE ON FUNCTION close_order TO exchange_runtime;

-- The raise is complete: its proceeds, and units that were not worth a trade any more, are the
-- issuer's to use. The token is locked by the caller.
CREATE OR REPLACE FUNCTION complete_raise(p_token uuid, p_actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    t exchange_token;
    v_raise uuid;
    v_unsold uuid;
    v_money numeric;
    v_units numeric;
BEGIN
    SELECT * INTO t FROM exchange_token WHERE id = p_token FOR NO KEY UPDATE;
    IF t.completed_raise OR t.cancelled THEN
        RETURN;
    END IF;
    v_raise := account_of(t.issuer_id, t.currency_id, 'raise');
    v_unsold := account_of(t.issuer_id, t.id::text, 'unsold');
    PERFORM 1 FROM wallets_account WHERE id IN (v_raise, v_unsold) ORDER BY id FOR NO KEY UPDATE;
    -- An issuer may have several raises in one currency: only this one's proceeds are due.
    v_money := t.total_raised;
    SELECT balance INTO v_units FROM wallets_account WHERE id = v_unsold;
    PERFORM post_legs('raise_complete', 'raise:' || t.id || ':close', t.id, p_actor, t.symbol,
        ARRAY[v_raise,
              open_account(new_id(), t.currency_id, 'available', t.issuer_id, NULL),
              v_unsold,
              open_account(new_id(), t.id::text, 'available', t.issuer_id, NULL)],
        ARRAY[-v_money, v_money, -coalesce(v_units, 0), coalesce(v_units, 0)]);
    UPDATE exchange_token SET completed_raise = true WHERE id = t.id;
END $$;
REVOKE ALL ON FUNCTION complete_raise FROM PUBLIC;
GRANT EXECUTE ON FUNCTION complete_raise TO exchange_runtime;
