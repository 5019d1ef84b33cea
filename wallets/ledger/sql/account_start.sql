-- An account starts empty: balances come from entries only. System accounts have no owner and no
-- stored balance.
CREATE FUNCTION account_starts_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.kind IN ('clearing', 'fees', 'expenses', 'issuance', 'loans', 'treasury', 'position',
                    'unmatched') THEN
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
    RETURN NEW;
END $$;
