-- What PostgreSQL itself holds orders and trades to, whoever writes.

-- Changes of an order are checked in order_changes.sql, its states in order_state.sql.

-- Trades point at orders without a foreign key, and orders at members: order_state looks.
SELECT make_permanent('orders_order');
SELECT make_append_only('orders_trade');

-- The application writes orders and trades through enter_orders and close_order.
REVOKE INSERT, UPDATE, DELETE ON orders_order, orders_trade FROM exchange_runtime;
