-- What is audited of orders. An order says itself who placed it and when, its fills are its trades,
-- which are append-only; place_order says that what it writes needs no other record. What is left
-- is an order that is cancelled, and whatever writes without that function.

ALTER FUNCTION place_order(jsonb, integer, interval, integer, text) SET exchange.recorded = 'on';
SELECT audit_table('orders_order', about => 'token_id',
    left_out => '{owner_id,updated_at,document}',
    inserts => $$current_setting('exchange.recorded', true) IS DISTINCT FROM 'on'$$,
    updates => $$current_setting('exchange.recorded', true) IS DISTINCT FROM 'on'
                 OR NEW.status = 'Cancelled'$$);
