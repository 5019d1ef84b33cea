-- Cancels the open remainder of an order and releases its reservation. False if the order is closed.
-- Takes the lock of the token first, like everything that changes a book.
CREATE FUNCTION close_order(p_order uuid, p_reason text, p_actor text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    o orders_order;
    v_asset text;
    v_closed_at timestamptz;
BEGIN
    PERFORM name_actor(p_actor);
    PERFORM 1 FROM exchange_token
        WHERE id = (SELECT token_id FROM orders_order WHERE id = p_order) FOR NO KEY UPDATE;
    o := (SELECT x FROM orders_order x WHERE x.id = p_order FOR NO KEY UPDATE);
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
    v_closed_at := clock_timestamp();
    UPDATE orders_order SET status = 'Cancelled', reserved = 0, reason = left(p_reason, 100),
        closed_at = v_closed_at, updated_at = v_closed_at
    WHERE id = o.id RETURNING status, reason, document INTO o.status, o.reason, o.document;
    PERFORM raise_book_sequence(o.token_id);
    PERFORM emit_order_end(o);
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION close_order FROM PUBLIC;
GRANT EXECUTE ON FUNCTION close_order TO exchange_runtime;

-- Locks, in id order, every account that closing or cancelling a token moves: of owners of open
-- orders and, while its raise is open, of its buyers and issuer. Closing orders one by one would lock
-- them in another order and could deadlock with trades of another token. The caller locks the token.
CREATE FUNCTION lock_accounts_of_token(p_token uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM wallets_account a JOIN exchange_token t ON t.id = p_token
        WHERE a.asset_id IN (t.currency_id, t.id::text)
            AND a.kind IN ('available', 'reserved', 'raise', 'unsold')
            AND a.owner_id IN (
                SELECT o.owner_id FROM orders_order o
                WHERE o.token_id = t.id AND o.status = 'Active'
                UNION ALL
                SELECT b.owner_id FROM orders_trade x JOIN orders_order b ON b.id = x.buy_order_id
                WHERE x.token_id = t.id AND x.sell_order_id IS NULL AND NOT t.completed_raise
                UNION ALL
                SELECT t.issuer_id WHERE NOT t.completed_raise)
        ORDER BY a.id FOR NO KEY UPDATE OF a;
END $$;
REVOKE ALL ON FUNCTION lock_accounts_of_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_accounts_of_token TO exchange_runtime;

-- Moves the proceeds and the unsold units of a raise to the issuer's available accounts, from when on
-- its terms count: their periods start. Only for
-- `complete_raise`, and for the sale that leaves nothing to sell: the service may change what is the least
-- that can be sold, so it does not say when that is.
CREATE FUNCTION pay_out_raise(p_token uuid, p_actor text) RETURNS void
LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    t exchange_token;
    v_accounts uuid[];
    v_money numeric;
    v_units numeric;
BEGIN
    PERFORM name_actor(p_actor);
    t := (SELECT x FROM exchange_token x WHERE x.id = p_token FOR NO KEY UPDATE);
    IF t.completed_raise OR t.cancelled THEN
        RETURN;
    END IF;
    -- Opened first: waiting for a concurrent opening, as in `enter_orders`, must not hold a lock on
    -- another account.
    v_accounts := ARRAY[
        account_of(t.issuer_id, t.currency_id, 'raise'),
        open_account(new_id(), t.currency_id, 'available', t.issuer_id, NULL),
        account_of(t.issuer_id, t.id::text, 'unsold'),
        open_account(new_id(), t.id::text, 'available', t.issuer_id, NULL)];
    PERFORM 1 FROM wallets_account WHERE id = ANY (v_accounts) ORDER BY id FOR NO KEY UPDATE;
    -- An issuer may have several raises in one currency; only the proceeds of this one move.
    v_money := t.total_raised;
    SELECT coalesce(balance, 0) INTO v_units FROM wallets_account WHERE id = v_accounts[3];
    PERFORM post_legs('raise_complete', 'raise:' || t.id || ':close', t.id, p_actor, t.symbol,
        v_accounts, ARRAY[-v_money, v_money, -v_units, v_units]);
    UPDATE exchange_token SET completed_raise = true, completed_at = clock_timestamp(),
        issue_price = coalesce(issue_price, price_buy)
    WHERE id = t.id;
END $$;
REVOKE ALL ON FUNCTION pay_out_raise FROM PUBLIC;
