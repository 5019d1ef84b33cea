-- Invariants of orders and trades, enforced for every writer. Changes of an order are checked in
-- order_changes.sql, its states in order_state.sql.

-- Trades reference orders, and orders members, without a foreign key; order_state checks them.
SELECT make_permanent('orders_order');
SELECT make_append_only('orders_trade');

-- The application writes orders and trades through enter_orders and close_order.
REVOKE INSERT, UPDATE, DELETE ON orders_order, orders_trade FROM exchange_runtime;
