-- Checks every change of an order: terms are immutable but for an amendment's, fills only increase, closed is
-- final.
CREATE FUNCTION order_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'orders are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.id, OLD.token_id, OLD.organisation_id, OLD.member_id, OLD.api_key_id,
        OLD.owner_model, OLD.type, OLD.fee_percent,
        OLD.customer_name, OLD.customer_email, OLD.client_order_id, OLD.placed_by,
        OLD.created_at, OLD.client_reference, OLD.metadata, OLD.order_type, OLD.time_in_force,
        OLD.post_only, OLD.expires_at, OLD.requested_amount)
        IS DISTINCT FROM
       (NEW.id, NEW.token_id, NEW.organisation_id, NEW.member_id, NEW.api_key_id,
        NEW.owner_model, NEW.type, NEW.fee_percent,
        NEW.customer_name, NEW.customer_email, NEW.client_order_id, NEW.placed_by,
        NEW.created_at, NEW.client_reference, NEW.metadata, NEW.order_type, NEW.time_in_force,
        NEW.post_only, NEW.expires_at, NEW.requested_amount)
    THEN
        RAISE EXCEPTION 'the terms of order % never change', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.seq, OLD.price, OLD.tokens, OLD.amount)
        IS DISTINCT FROM (NEW.seq, NEW.price, NEW.tokens, NEW.amount)
    THEN
        -- An amendment. What is more favourable than before joins the end of the queue.
        IF NOT public.recorded_by_function() OR NEW.seq < OLD.seq
            OR NEW.seq = OLD.seq AND (NEW.price <> OLD.price OR NEW.tokens > OLD.tokens)
        THEN
            RAISE EXCEPTION 'order % cannot be amended so', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
    END IF;
    IF OLD.status <> 'Active' THEN
        RAISE EXCEPTION 'order % is %: that is final', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_transition';
    END IF;
    -- The fee alone may decrease; the total paid or received may not.
    IF NEW.filled < OLD.filled OR NEW.charged < OLD.charged
        OR NEW.charged - OLD.charged
            + (CASE NEW.type WHEN 'Buy' THEN NEW.charged_fee - OLD.charged_fee
                             ELSE OLD.charged_fee - NEW.charged_fee END) < 0
        OR NEW.filled = OLD.filled
            AND (NEW.filled_value, NEW.charged, NEW.charged_fee)
                IS DISTINCT FROM (OLD.filled_value, OLD.charged, OLD.charged_fee)
    THEN
        RAISE EXCEPTION 'fills of order % only increase', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_fills_add_up';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER order_guard BEFORE UPDATE OR DELETE ON orders_order
    FOR EACH ROW EXECUTE FUNCTION order_guard();
