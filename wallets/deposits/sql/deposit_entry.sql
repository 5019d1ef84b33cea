-- A deposit starts pending. It is confirmed by two people (one entered it, another decided), or by the
-- command, which records neither.
CREATE FUNCTION deposit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.status <> 'Pending' OR NEW.decided_by_id IS NOT NULL) THEN
        RAISE EXCEPTION 'a deposit starts Pending'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_starts_pending';
    ELSIF NEW.status = 'Confirmed'
        AND (NEW.entered_by_id IS NULL) <> (NEW.decided_by_id IS NULL)
    THEN
        RAISE EXCEPTION 'deposit % must be confirmed by someone other than the person who entered it', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_confirmed_by_another';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deposit_entry BEFORE INSERT OR UPDATE ON wallets_deposit
    FOR EACH ROW EXECUTE FUNCTION deposit_entry();
