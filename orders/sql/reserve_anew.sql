-- Reserves anew for every open Buy, once, when an installation comes to round against the trader: what its
-- rest can cost now may differ by a minor unit from what it reserved. The difference is moved by a transfer
-- of its own. An order whose owner cannot cover it, or whose rest can no longer be charged anything, is
-- cancelled, and its owner is told.
DO $reserve$
DECLARE
    o orders_order;
    v_currency text;
    v_available uuid;
    v_balance numeric;
    v_wanted numeric;
    v_more numeric;
    v_actor text := 'system:upgrade';
BEGIN
    FOR o IN SELECT * FROM orders_order WHERE type = 'Buy' AND status = 'Active' ORDER BY seq LOOP
        SELECT c.code, reserve_of_buy(o, 10::numeric ^ -c.decimals::numeric)
            INTO v_currency, v_wanted
            FROM exchange_token t JOIN exchange_currency c ON c.code = t.currency_id
            WHERE t.id = o.token_id;
        v_more := v_wanted - o.reserved;
        CONTINUE WHEN v_more = 0;
        v_available := account_of(o.owner_id, v_currency, 'available');
        SELECT balance INTO v_balance FROM wallets_account WHERE id = v_available;
        IF v_wanted < 0 OR v_more > v_balance THEN
            PERFORM close_order(o.id, 'Its rest could not be reserved anew', v_actor);
            CONTINUE;
        END IF;
        PERFORM name_actor(v_actor);
        PERFORM post_legs(
            CASE WHEN v_more > 0 THEN 'order_reserve' ELSE 'order_release' END,
            'order:' || o.id || ':reserve_anew', o.id, v_actor, 'Rounding against the trader',
            ARRAY[v_available, account_of(o.owner_id, v_currency, 'reserved')],
            ARRAY[- v_more, v_more]);
        UPDATE orders_order SET reserved = v_wanted WHERE id = o.id;
    END LOOP;
END $reserve$;
