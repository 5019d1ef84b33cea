-- An account starts empty: balances come from entries only. System accounts have no owner and no
-- stored balance. None is opened for a closed member, except for what it owes; a member that is being
-- closed is waited for.
CREATE FUNCTION account_starts_right() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_closed_at timestamptz;
BEGIN
    IF NEW.kind IN ('clearing', 'fees', 'expenses', 'issuance', 'loans', 'treasury', 'position',
                    'unmatched', 'payable', 'tax') THEN
        IF NEW.organisation_id IS NOT NULL OR NEW.member_id IS NOT NULL
            OR NEW.balance IS NOT NULL
        THEN
            RAISE EXCEPTION 'a % account has no owner', NEW.kind
                USING ERRCODE = 'check_violation', CONSTRAINT = 'account_owner_fits_kind';
        END IF;
    ELSIF NEW.organisation_id IS NULL OR NEW.balance IS NULL THEN
        RAISE EXCEPTION 'a % account needs an owner', NEW.kind
            USING ERRCODE = 'check_violation', CONSTRAINT = 'account_owner_fits_kind';
    ELSIF NEW.balance <> 0 THEN
        RAISE EXCEPTION 'account % must start empty', NEW.id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.member_id IS NOT NULL AND NEW.kind <> 'receivable' THEN
        SELECT m.closed_at INTO v_closed_at FROM public.exchange_member m
            WHERE m.id = NEW.member_id FOR SHARE;
        IF v_closed_at IS NOT NULL THEN
            RAISE EXCEPTION 'member % is closed', NEW.member_id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'account_of_closed_member';
        END IF;
    END IF;
    RETURN NEW;
END $$;
