-- What is audited of orders. An order says itself who placed it and when, its fills are its trades,
-- which are append-only, so what enter_orders writes needs no other record. What is left
-- is an order that is cancelled, and whatever writes without that function.

SELECT audit_table('orders_order', about => 'token_id',
    left_out => '{owner_id,updated_at,document}',
    inserts => $$NOT recorded_by_function()$$,
    updates => $$NOT recorded_by_function()
                 OR NEW.status = 'Cancelled'$$);
