-- An order that is over has nothing reserved; one that is fulfilled is filled. Who places one for a
-- member is that member's organisation: looked up once, when it is placed. (Members are never removed
-- or moved; a foreign key would lock the member's row for every order.)
CREATE OR REPLACE FUNCTION order_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> 'Active' AND (NEW.reserved <> 0 OR NEW.closed_at IS NULL)
        OR (NEW.status = 'Fulfilled') <> (NEW.filled = NEW.tokens)
    THEN
        RAISE EXCEPTION 'order % cannot be % with % of % filled and % reserved', NEW.id,
            NEW.status, NEW.filled, NEW.tokens, NEW.reserved
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_state';
    END IF;
    IF TG_OP = 'INSERT' AND NEW.member_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM public.exchange_member
        WHERE id = NEW.member_id AND organisation_id = NEW.organisation_id)
    THEN
        RAISE EXCEPTION 'member % is not of organisation %', NEW.member_id, NEW.organisation_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'order_member_of_organisation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS order_state ON orders_order;
CREATE TRIGGER order_state BEFORE INSERT OR UPDATE ON orders_order
    FOR EACH ROW EXECUTE FUNCTION order_state();
