-- Checks the state of an order: positive price and units, known values, fills within its units, nothing
-- reserved once closed, Fulfilled if and only if filled. (A trigger instead of CHECKs, which are parsed for
-- every statement: decision 0012.) The member must belong to the order's organisation: checked at placement
-- by `plan_order` or here. (A foreign key would lock the member's row for every order.)
CREATE FUNCTION order_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF least(NEW.price, NEW.tokens) <= 0
        OR least(NEW.filled, NEW.tokens - NEW.filled, NEW.reserved) < 0
    THEN
        RAISE EXCEPTION 'order % cannot be for % at %, with % filled and % reserved', NEW.id,
            NEW.tokens, NEW.price, NEW.filled, NEW.reserved
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_within_bounds';
    ELSIF NEW.type NOT IN ('Buy', 'Sell') OR NEW.status NOT IN ('Active', 'Fulfilled', 'Cancelled')
        OR NEW.owner_model NOT IN ('api_key', 'user', 'organisation')
        OR (NEW.order_type, NEW.time_in_force) NOT IN (
            ('limit', 'GTC'), ('limit', 'GTD'), ('limit', 'IOC'), ('limit', 'FOK'), ('market', 'IOC'))
    THEN
        RAISE EXCEPTION 'order % cannot be a % of a % that is %', NEW.id, NEW.type,
            NEW.owner_model, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_words_known';
    ELSIF NEW.status <> 'Active' AND (NEW.reserved <> 0 OR NEW.closed_at IS NULL)
        OR (NEW.status = 'Fulfilled') <> (NEW.filled = NEW.tokens)
        OR NEW.status = 'Active' AND NEW.time_in_force IN ('IOC', 'FOK')
        OR (NEW.time_in_force = 'GTD') <> (NEW.expires_at IS NOT NULL)
    THEN
        RAISE EXCEPTION 'order % cannot be % with % of % filled and % reserved', NEW.id,
            NEW.status, NEW.filled, NEW.tokens, NEW.reserved
            USING ERRCODE = 'check_violation', CONSTRAINT = 'order_state';
    END IF;
    IF TG_OP = 'INSERT' AND NEW.member_id IS NOT NULL AND NOT public.recorded_by_function()
        AND NOT EXISTS (
            SELECT FROM public.exchange_member
            WHERE id = NEW.member_id AND organisation_id = NEW.organisation_id)
    THEN
        RAISE EXCEPTION 'member % is not of organisation %', NEW.member_id, NEW.organisation_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'order_member_of_organisation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER order_state BEFORE INSERT OR UPDATE ON orders_order
    FOR EACH ROW EXECUTE FUNCTION order_state();
