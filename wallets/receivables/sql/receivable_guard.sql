-- No one comes to owe, or owes more, while open orders reserve money of the same currency: what takes money
-- back cancels them first (orders.freezing.services). The owner is locked alone, so none is being placed.
CREATE FUNCTION receivable_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.wallets_account a
        WHERE a.owner_id = NEW.owner_id AND a.asset_id = NEW.asset_id AND a.kind = 'reserved'
            AND a.balance > 0)
    THEN
        RAISE EXCEPTION 'owner % has % reserved by open orders', NEW.owner_id, NEW.asset_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'receivable_after_reserved';
    END IF;
    RETURN NULL;
END $$;
-- The owner's id is generated, so it is read after the change.
CREATE TRIGGER receivable_guard AFTER UPDATE OF balance ON wallets_account
    FOR EACH ROW WHEN (NEW.kind = 'receivable' AND NEW.balance < OLD.balance)
    EXECUTE FUNCTION receivable_guard();
