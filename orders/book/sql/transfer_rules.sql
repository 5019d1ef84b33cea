-- Justification of transfers of orders, trades and raises (see wallets/ledger/sql/transfer_rules.sql).
--
-- Checks owner, asset, direction and existence of the record. Amounts of fills depend on rounding, which
-- the proof of books checks for each order.
--
-- The two most frequent kinds are posted by `enter_orders` only, in one call with their record: only its
-- existence is checked here, the rest by the proof of books. The full check would take a tenth of the time
-- of an order (decision 23).
SELECT set_transfer_rule('order_reserve', '{available}', '{reserved}', 'order:{id}:%',
    'orders_order', '{}', false,
    'EXISTS (SELECT FROM public.orders_order WHERE id = NEW.subject_id)');
SELECT set_transfer_rule('order_release', '{reserved}', '{available}', 'order:{id}:%',
    'orders_order', '{}', false, 'public.order_transfer_justified(NEW)');
SELECT set_transfer_rule('trade', '{available,reserved,fees}', '{available,reserved,fees}',
    'trade:{id}', 'orders_trade', '{}', false,
    'EXISTS (SELECT FROM public.orders_trade WHERE id = NEW.subject_id)');
SELECT set_transfer_rule('raise_sale', '{available,reserved,unsold,fees}',
    '{available,raise,fees}', 'trade:{id}', 'orders_trade', '{}', false,
    'public.order_transfer_justified(NEW)');
SELECT set_transfer_rule('raise_complete', '{raise,unsold}', '{available}', 'raise:{id}:close',
    'exchange_token', '{completed}', false, 'public.order_transfer_justified(NEW)');
SELECT set_transfer_rule('raise_refund', '{raise,fees,available}', '{available,unsold,fees}',
    'trade:{id}:refund', 'orders_trade', '{cancelled}', true,
    'public.order_transfer_justified(NEW)');

CREATE FUNCTION order_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_justified boolean;
BEGIN
    IF posted.kind = 'order_release' THEN
        SELECT bool_and((
                e.fits
                AND e.owner_id = o.owner_id
                AND e.asset_id = CASE WHEN o.type = 'Buy' THEN t.currency_id
                                      ELSE o.token_id::text END) IS TRUE)
            INTO v_justified
            FROM public.orders_order o
            JOIN public.exchange_token t ON t.id = o.token_id,
                 public.transfer_legs(posted, o.status) e
            WHERE o.id = posted.subject_id;
    ELSIF posted.kind = 'raise_complete' THEN
        SELECT bool_and((
                e.fits
                AND e.owner_id = t.issuer_id
                AND e.asset_id IN (t.currency_id, t.id::text)) IS TRUE)
            INTO v_justified
            FROM public.exchange_token t,
                 public.transfer_legs(posted, CASE WHEN t.completed_raise THEN 'completed' END) e
            WHERE t.id = posted.subject_id;
    ELSE
        -- Sale in a raise: units move from issuer to buyer, and the issuer never pays. A refund is the
        -- reverse.
        SELECT bool_and((
                e.fits
                AND x.sell_order_id IS NULL
                AND CASE
                    WHEN e.owner_id IS NULL THEN e.asset_id = t.currency_id
                    WHEN e.asset_id = t.id::text THEN
                        e.amount = CASE e.owner_id WHEN b.owner_id THEN x.tokens
                                   WHEN t.issuer_id THEN - x.tokens END
                            * CASE posted.kind WHEN 'raise_refund' THEN -1 ELSE 1 END
                    WHEN e.asset_id <> t.currency_id THEN false
                    WHEN posted.kind <> 'raise_refund' THEN e.owner_id = b.owner_id
                        OR e.owner_id = t.issuer_id AND e.amount > 0
                    ELSE e.amount = CASE e.owner_id WHEN b.owner_id THEN x.buyer_value + x.buyer_fee
                                    WHEN t.issuer_id THEN - x.seller_value END
                END) IS TRUE)
            INTO v_justified
            FROM public.orders_trade x
            JOIN public.orders_order b ON b.id = x.buy_order_id
            JOIN public.exchange_token t ON t.id = x.token_id,
                 public.transfer_legs(posted, CASE WHEN t.cancelled THEN 'cancelled' END) e
            WHERE x.id = posted.subject_id;
    END IF;
    RETURN v_justified;
END $$;
