-- What PostgreSQL itself holds orders and trades to, whoever writes.

CREATE SEQUENCE IF NOT EXISTS orders_seq;
GRANT USAGE ON SEQUENCE orders_seq TO exchange_runtime;

ALTER TABLE orders_order
    ADD CONSTRAINT order_key_of_organisation
    FOREIGN KEY (api_key_id, organisation_id) REFERENCES exchange_apikey (id, organisation_id);
-- Fills change the row; room on the page keeps those updates out of the indexes.
ALTER TABLE orders_order SET (fillfactor = 80);

-- Changes of an order are checked in order_changes.sql, its states in order_state.sql.

SELECT make_append_only('orders_trade');

-- The application writes orders and trades through enter_orders and close_order.
REVOKE INSERT, UPDATE, DELETE ON orders_order, orders_trade FROM exchange_runtime;
