-- What PostgreSQL itself holds orders and trades to, whoever writes.

CREATE SEQUENCE IF NOT EXISTS orders_seq;
GRANT USAGE ON SEQUENCE orders_seq TO exchange_runtime;

ALTER TABLE orders_order
    ADD CONSTRAINT order_key_of_organisation
    FOREIGN KEY (api_key_id, organisation_id) REFERENCES exchange_apikey (id, organisation_id);
-- Fills change the row; room on the page keeps those updates out of the indexes.
ALTER TABLE orders_order SET (fillfactor = 80);

CREATE OR REPLACE FUNCTION order_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'orders are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.id, OLD.seq, OLD.token_id, OLD.organisation_id, OLD.member_id, OLD.api_key_id,
        OLD.owner_model, OLD.type, OLD.price, OLD.tokens, OLD.amount, OLD.fee_percent,
        OLD.customer_name, OLD.customer_email, OLD.client_order_id, OLD.placed_by,
        OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.seq, NEW.token_id, NEW.organisation_id, NEW.member_id, NEW.api_key_id,
        NEW.owner_model, NEW.type, NEW.price, NEW.tokens, NEW.amount, NEW.fee_percent,
        NEW.customer_name, NEW.customer_email, NEW.client_order_id, NEW.placed_by,
        NEW.created_at)
    THEN
        RAISE EXCEPTION 'what order % asks for never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.status <> 'Active' THEN
        RAISE EXCEPTION 'order % is %: that is final', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_transition';
    END IF;
    IF NEW.filled < OLD.filled OR NEW.charged < OLD.charged
        OR NEW.charged_fee < OLD.charged_fee
    THEN
        RAISE EXCEPTION 'fills of order % only add up', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_fills_add_up';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER order_guard BEFORE UPDATE OR DELETE ON orders_order
    FOR EACH ROW EXECUTE FUNCTION order_guard();

-- What its states are held to is in order_state.sql.

SELECT make_append_only('orders_trade');

-- The application writes orders and trades through place_order and close_order.
REVOKE INSERT, UPDATE, DELETE ON orders_order, orders_trade FROM exchange_runtime;
