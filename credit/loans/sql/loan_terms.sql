-- A new loan matches the effective terms of its configuration, for every writer. (`make_loan` checks its
-- collateral.)
CREATE FUNCTION loan_terms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_most numeric;
BEGIN
    SELECT public.round_half_even(
            NEW.amount * (1 + NEW.interest_rate * NEW.duration), cur.decimals)
        INTO v_most
        FROM public.credit_loanconfiguration c
        JOIN public.credit_configurationversion v ON v.configuration_id = c.id
        JOIN public.credit_loanlimit l
            ON l.version_id = v.id AND l.currency_id = NEW.currency_id
        JOIN public.exchange_currency cur ON cur.code = NEW.currency_id
        WHERE c.id = NEW.configuration_id AND v.id = NEW.version_id
            AND c.status = 'Approved' AND v.status = 'Approved'
            AND c.creditor_id = NEW.creditor_id
            AND NEW.amount BETWEEN l.min_amount AND l.max_amount
            AND NEW.duration BETWEEN 1 AND v.duration
            AND (NEW.interest_rate, NEW.collateral_ratio, NEW.grace_period, NEW.grace_period_unit)
                = (v.interest_rate, v.collateral_ratio, v.grace_period, v.grace_period_unit)
            AND (v.access = 'public' OR NEW.organisation_id = c.creditor_id
                OR v.access = 'organisations' AND EXISTS (
                    SELECT FROM public.credit_configurationversion_organisations o
                    WHERE o.configurationversion_id = v.id
                        AND o.organisation_id = NEW.organisation_id));
    IF NOT FOUND OR NEW.repayment_amount NOT BETWEEN NEW.amount AND v_most
        OR NEW.creditor_id <> NEW.organisation_id AND NEW.repayment_amount <> v_most
    THEN
        RAISE EXCEPTION 'loan % does not match the terms of its configuration', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_by_terms';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER loan_terms BEFORE INSERT ON credit_loan
    FOR EACH ROW EXECUTE FUNCTION loan_terms();
