-- Income of pledged units: what becomes cash collateral, and what it takes off prices until then.

-- Counts what is still to come to loans: funded, and expected while the issuer is in time.
CREATE FUNCTION count_cash_to_come(p_loans uuid[]) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
    UPDATE credit_loan l SET (cash_funded, cash_expected) = (
        SELECT coalesce(sum(i.net) FILTER (WHERE d.status <> 'Recorded'), 0),
               coalesce(sum(i.net) FILTER (
                   WHERE d.status = 'Recorded' AND NOT d.overdue AND d.corrects_id IS NULL), 0)
        FROM credit_income i JOIN credit_distribution d ON d.id = i.distribution_id
        WHERE i.loan_id = l.id AND i.status = 'Due' AND i.gross >= 0 AND d.to_collateral
            AND d.status <> 'Cancelled')
    FROM (SELECT x.id FROM credit_loan x WHERE x.id = ANY (p_loans) ORDER BY x.id FOR NO KEY UPDATE) o
    WHERE l.id = o.id
$$;
REVOKE ALL ON FUNCTION count_cash_to_come FROM PUBLIC;

-- Of what is expected, at most what was taken off the value of the loan's units because their prices are
-- older than its record: nothing of a token that has no collateral value.
CREATE FUNCTION cash_in_prices(p_loan uuid) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(greatest(0, least(x.net, x.taken, x.left_over + x.taken))), 0)
    FROM (
        SELECT sum(i.net) AS net, sum(trunc(d.amount_per_unit * c.quantity, k.decimals)) AS taken,
               t.price_sell * c.quantity - (
                   SELECT coalesce(sum(trunc(p.amount_per_unit * c.quantity, k.decimals)), 0)
                   FROM public.credit_pricededuction p
                   WHERE p.token_id = t.id AND p.record_at > t.quoted_at) AS left_over
        FROM public.credit_income i
        JOIN public.credit_distribution d ON d.id = i.distribution_id
        JOIN public.exchange_token t ON t.id = d.token_id
        JOIN public.exchange_currency k ON k.code = d.currency_id
        JOIN public.credit_collateral c ON c.loan_id = i.loan_id AND c.token_id = t.id
        WHERE i.loan_id = p_loan AND i.status = 'Due' AND d.to_collateral AND d.status = 'Recorded'
            AND NOT d.overdue AND d.corrects_id IS NULL AND d.record_at > t.quoted_at
            AND NOT t.exited AND NOT t.cancelled
        GROUP BY t.id, c.quantity, k.decimals
    ) x
$$;

-- A price quoted before the record counts less from the record on: the units that are pledged later
-- receive nothing. What the units of a loan will receive for it counts as cash instead; less the tax
-- that the start of payment sets.
CREATE FUNCTION value_income() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.status = 'Cancelled' THEN
        DELETE FROM public.credit_pricededuction WHERE id = NEW.id;
    ELSIF NEW.status = 'Recorded' AND NEW.corrects_id IS NULL THEN
        INSERT INTO public.credit_pricededuction (id, token_id, record_at, amount_per_unit)
        VALUES (NEW.id, NEW.token_id, NEW.record_at, NEW.amount_per_unit) ON CONFLICT (id) DO NOTHING;
    END IF;
    IF NEW.to_collateral THEN
        PERFORM public.count_cash_to_come(ARRAY(
            SELECT i.loan_id FROM public.credit_income i
            WHERE i.distribution_id = NEW.id AND i.status = 'Due' AND i.loan_id IS NOT NULL));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER value_income AFTER UPDATE OF status, overdue ON credit_distribution
    FOR EACH ROW WHEN (NEW.status IN ('Recorded', 'Funded', 'Paying', 'Cancelled')) EXECUTE FUNCTION value_income();

CREATE FUNCTION count_paid_income() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM public.count_cash_to_come(ARRAY[NEW.loan_id]);
    RETURN NULL;
END $$;
CREATE TRIGGER count_paid_income AFTER UPDATE OF status ON credit_income
    FOR EACH ROW WHEN (NEW.loan_id IS NOT NULL AND NEW.gross >= 0) EXECUTE FUNCTION count_paid_income();
