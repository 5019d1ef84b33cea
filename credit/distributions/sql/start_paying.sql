-- The start of payment: the tax of each holder, withheld at the rates and residences of that instant.

-- What a redemption returns of the principal: what is outstanding on a unit at its record.
CREATE FUNCTION returned_principal(d credit_distribution, p_units numeric, p_decimals integer)
RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN d.type = 'Redemption' THEN (
        SELECT trunc(p_units * (t.issue_price - coalesce(sum(x.amount_per_unit), 0)), p_decimals)
        FROM public.exchange_token t
        LEFT JOIN public.credit_distribution x ON x.token_id = t.id AND x.type = 'Principal'
            AND x.status NOT IN ('Draft', 'Announced', 'Cancelled')
        WHERE t.id = d.token_id GROUP BY t.issue_price) ELSE 0 END
$$;

-- The part of a holder's income that is taxed: none of what returns principal.
CREATE FUNCTION taxable_income(p_type text, p_gross numeric, p_returned numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_type = 'Principal' THEN 0 ELSE greatest(p_gross - p_returned, 0) END
$$;

CREATE FUNCTION income_tax(
    p_type text, p_gross numeric, p_returned numeric, p_rate numeric, p_decimals integer)
RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT public.round_half_even(public.taxable_income(p_type, p_gross, p_returned) * p_rate * 0.01, p_decimals)
$$;

-- Moves a funded distribution to Paying, with the tax of all its income. Returns whether it did so now. The
-- tax of a correction is in its record, and what it corrects is marked.
-- The country of the issuer is where it is resident for tax.
CREATE FUNCTION start_paying(p_distribution uuid, p_actor text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    d credit_distribution;
    v_day date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
    PERFORM name_actor(p_actor);
    d := (SELECT x FROM credit_distribution x WHERE x.id = p_distribution FOR NO KEY UPDATE);
    IF d.id IS NULL OR d.status <> 'Funded' THEN
        RETURN false;
    END IF;
    IF d.corrects_id IS NOT NULL THEN
        UPDATE credit_income i SET status = 'Corrected'
        FROM credit_income c, credit_distribution o
        WHERE c.distribution_id = d.id AND c.gross <> 0
            AND o.id = i.distribution_id AND (o.id = d.corrects_id OR o.corrects_id = d.corrects_id)
            AND o.id <> d.id AND i.status IN ('Paid', 'Nil')
            AND coalesce(i.assigned_from_id, i.owner_id) = coalesce(c.assigned_from_id, c.owner_id)
            AND i.loan_id IS NOT DISTINCT FROM c.loan_id;
        UPDATE credit_distribution x SET status = 'Paying' WHERE x.id = d.id;
        RETURN true;
    END IF;
    WITH owed AS (
        SELECT i.id, r.percent, income_tax(
                   d.type, i.gross, returned_principal(d, i.units, c.decimals), r.percent, c.decimals) AS tax
        FROM credit_income i
        JOIN exchange_organisation o ON o.id = i.organisation_id
        LEFT JOIN exchange_member m ON m.id = i.member_id
        JOIN exchange_currency c ON c.code = d.currency_id
        JOIN exchange_token t ON t.id = d.token_id
        JOIN exchange_organisation s ON s.id = t.issuer_id
        CROSS JOIN LATERAL (
            SELECT tax_rate(
                d.type, s.tax_residence, i.owner_id,
                CASE WHEN m.id IS NULL THEN o.holder_kind ELSE m.holder_kind END,
                CASE WHEN m.id IS NULL THEN o.tax_residence ELSE m.tax_residence END,
                v_day) AS percent) r
        WHERE i.distribution_id = d.id
    ), taxed AS (
        UPDATE credit_income i SET tax_rate = owed.percent, tax = owed.tax, net = i.gross - owed.tax
        FROM owed
        WHERE i.id = owed.id AND owed.percent > 0
        RETURNING i.tax
    ), total AS (
        SELECT coalesce(sum(taxed.tax), 0) AS tax FROM taxed
    )
    UPDATE credit_distribution x SET status = 'Paying', tax = total.tax, net = x.gross - total.tax
    FROM total WHERE x.id = d.id;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION start_paying FROM PUBLIC;
GRANT EXECUTE ON FUNCTION start_paying TO exchange_runtime;
