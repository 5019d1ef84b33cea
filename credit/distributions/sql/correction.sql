-- Corrections: what the holders of a paid distribution were paid too little, or too much.

-- What the holders of a distribution should have received on other terms, less what they received with its
-- earlier corrections: one row for each of its incomes, divided among loans as by the record. The tax is at
-- the rate that was withheld. Of one distribution no difference is above 0 while another one is below.
CREATE FUNCTION corrected_income(
    p_original uuid, p_amount numeric, p_principal numeric, p_rate numeric, p_days integer)
RETURNS TABLE (
    organisation_id uuid, member_id uuid, assigned_from_id uuid, loan_id uuid, units numeric,
    gross numeric, tax_rate numeric, tax numeric) LANGUAGE sql STABLE AS $$
    WITH received AS (
        SELECT coalesce(i.assigned_from_id, i.owner_id) AS holder, i.loan_id,
               sum(i.gross) AS gross, sum(i.tax) AS tax
        FROM public.credit_income i JOIN public.credit_distribution d ON d.id = i.distribution_id
        WHERE (d.id = p_original OR d.corrects_id = p_original) AND d.status <> 'Cancelled'
        GROUP BY 1, 2
    ), shared AS (
        SELECT i.organisation_id, i.member_id, i.assigned_from_id, i.loan_id, i.units, i.tax_rate, d,
               c.decimals, h.holder,
               public.income_of(i.units, p_amount, p_principal, p_rate, p_days, c.decimals) AS part,
               public.income_of(sum(i.units) OVER (PARTITION BY h.holder), p_amount, p_principal, p_rate,
                                p_days, c.decimals) AS whole,
               -- The units that are not pledged have the rest, or those of the newest loan.
               row_number() OVER (PARTITION BY h.holder ORDER BY i.loan_id DESC NULLS FIRST) = 1 AS rest
        FROM public.credit_income i
        JOIN public.credit_distribution d ON d.id = i.distribution_id
        JOIN public.exchange_currency c ON c.code = d.currency_id
        CROSS JOIN LATERAL (SELECT coalesce(i.assigned_from_id, i.owner_id) AS holder) h
        WHERE i.distribution_id = p_original
    ), due AS (
        SELECT s.holder, s.loan_id, CASE WHEN s.rest THEN s.whole + s.part - sum(s.part) OVER (
                   PARTITION BY s.holder) ELSE s.part END AS gross
        FROM shared s
    )
    SELECT s.organisation_id, s.member_id, s.assigned_from_id, s.loan_id, s.units, u.gross - r.gross,
           s.tax_rate,
           public.income_tax((s.d).type, u.gross, public.returned_principal(s.d, s.units, s.decimals),
                             s.tax_rate, s.decimals) - r.tax
    FROM shared s
    JOIN due u ON u.holder = s.holder AND u.loan_id IS NOT DISTINCT FROM s.loan_id
    JOIN received r ON r.holder = s.holder AND r.loan_id IS NOT DISTINCT FROM s.loan_id
$$;

-- Makes the record of an announced correction: the difference of each holder. The caller has locked its
-- token. Returns whether it was made now.
CREATE FUNCTION record_correction(p_distribution uuid, p_actor text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    d credit_distribution;
BEGIN
    PERFORM name_actor(p_actor);
    d := (SELECT x FROM credit_distribution x WHERE x.id = p_distribution FOR NO KEY UPDATE);
    IF d.status <> 'Announced' OR d.corrects_id IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO credit_income
        (id, distribution_id, organisation_id, member_id, assigned_from_id, loan_id, units, gross, tax_rate,
         tax, net, recovered, status, paid_to, created_at)
    SELECT new_id(), d.id, x.organisation_id, x.member_id, x.assigned_from_id, x.loan_id, x.units, x.gross,
           x.tax_rate, x.tax, x.gross - x.tax, 0, CASE WHEN x.gross = 0 THEN 'Nil' ELSE 'Due' END, '',
           clock_timestamp()
    FROM corrected_income(d.corrects_id, d.amount_per_unit, d.principal_per_unit, d.rate, d.days) x;
    UPDATE credit_distribution x SET status = 'Recorded',
        to_collateral = (SELECT o.to_collateral FROM credit_distribution o WHERE o.id = d.corrects_id),
        (holders, units, gross, tax, net) = (
        SELECT count(DISTINCT i.owner_id), sum(i.units), sum(i.gross), sum(i.tax), sum(i.net)
        FROM credit_income i WHERE i.distribution_id = d.id)
    WHERE x.id = d.id;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION record_correction FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_correction TO exchange_runtime;

-- What was taken back for an income: from its owner, and from the tax that was withheld.
CREATE FUNCTION recovered_income(p_income uuid, OUT net numeric, OUT tax numeric) LANGUAGE sql STABLE AS $$
    SELECT coalesce(- sum(e.amount) FILTER (WHERE a.kind = 'available' AND e.amount < 0), 0),
           coalesce(- sum(e.amount) FILTER (WHERE a.kind = 'tax'), 0)
    FROM public.wallets_transfer t
    JOIN public.wallets_entry e ON e.transfer_id = t.id
    JOIN public.wallets_account a ON a.id = e.account_id
    WHERE t.subject_id = p_income AND t.kind = 'distribution_recover'
$$;

CREATE FUNCTION recovery_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_taken record;
BEGIN
    v_taken := public.recovered_income(NEW.id);
    IF NEW.recovered <> v_taken.net
        OR NEW.status = 'Paid' AND (NEW.recovered <> - NEW.net OR v_taken.tax <> - NEW.tax)
    THEN
        RAISE EXCEPTION 'income % was not recovered like this', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'income_recovered';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER recovery_guard BEFORE UPDATE OF status, recovered ON credit_income
    FOR EACH ROW WHEN (NEW.gross < 0) EXECUTE FUNCTION recovery_guard();

-- What is taken back goes to the issuer: of the owner no more than it received too much, once each amount;
-- the tax with the last of it.
SELECT set_transfer_rule('distribution_recover', '{available,tax}', '{available}', 'income:{id}:recover:%',
    'credit_income', '{Due,Paid}', true, 'public.recovery_transfer_justified(NEW)');

CREATE FUNCTION recovery_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((
                e.fits
                AND e.asset_id = d.currency_id
                AND CASE WHEN e.amount > 0 THEN e.owner_id = t.issuer_id
                         WHEN e.kind = 'tax' THEN e.amount = i.tax AND r.net = - i.net AND r.tax = - i.tax
                         ELSE e.owner_id = i.owner_id END) IS TRUE)
            -- The income says what was taken by all transfers, this one included, and never more than its net.
            AND bool_and(i.recovered = r.net)
        FROM public.credit_income i
        JOIN public.credit_distribution d ON d.id = i.distribution_id
        JOIN public.exchange_token t ON t.id = d.token_id
        CROSS JOIN LATERAL public.recovered_income(i.id) r,
             public.transfer_legs(posted, CASE WHEN d.status IN ('Paying', 'Paid') THEN i.status END) e
        WHERE i.id = posted.subject_id AND i.gross < 0);
END $$;
