-- A deposit is entered Pending and undecided, and who decided is there only where somebody entered it:
-- two people, or the command alone.
CREATE FUNCTION deposit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.status <> 'Pending' OR NEW.decided_by_id IS NOT NULL) THEN
        RAISE EXCEPTION 'a deposit starts Pending and undecided'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_starts_pending';
    ELSIF NEW.status = 'Confirmed'
        AND (NEW.entered_by_id IS NULL) <> (NEW.decided_by_id IS NULL)
    THEN
        RAISE EXCEPTION 'deposit % is confirmed by somebody else than who entered it', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_confirmed_by_another';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deposit_entry BEFORE INSERT OR UPDATE ON wallets_deposit
    FOR EACH ROW EXECUTE FUNCTION deposit_entry();
