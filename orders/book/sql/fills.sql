-- Fills: each trade once for each of its orders, under the organisation of the order.

CREATE FUNCTION write_fills() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.orders_fill
        (id, trade_id, order_id, token_id, organisation_id, member_id, created_at)
    SELECT 2 * NEW.seq + (o.type = 'Sell')::integer, NEW.id, o.id, NEW.token_id, o.organisation_id,
           o.member_id, NEW.created_at
    FROM public.orders_order o WHERE o.id IN (NEW.buy_order_id, NEW.sell_order_id);
    RETURN NULL;
END $$;
CREATE TRIGGER trade_fills AFTER INSERT ON orders_trade FOR EACH ROW EXECUTE FUNCTION write_fills();

SELECT make_append_only('orders_fill');
REVOKE INSERT, UPDATE, DELETE ON orders_fill FROM exchange_runtime;
