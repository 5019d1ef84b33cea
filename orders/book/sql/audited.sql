-- Audit of orders: cancellations, amendments, and writes by other means than enter_orders. Its other writes need no
-- audit: an order records who placed it and when, and its trades are append-only.

SELECT audit_table('orders_order', about => 'token_id',
    left_out => '{owner_id,updated_at,document}',
    inserts => $$NOT recorded_by_function()$$,
    updates => $$NOT recorded_by_function()
                 OR NEW.status = 'Cancelled'
                 OR (NEW.price, NEW.tokens) <> (OLD.price, OLD.tokens)$$);
