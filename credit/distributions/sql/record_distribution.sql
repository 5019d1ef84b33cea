-- The record of a distribution: who held how many units, and what each receives.

-- Owners with units of a token, and how many: available, in orders, and pledged. The issuer's own units
-- are not entitled, those of its members are.
CREATE FUNCTION entitled_units(p_token uuid)
RETURNS TABLE (organisation_id uuid, member_id uuid, units numeric) LANGUAGE sql STABLE AS $$
    SELECT a.organisation_id, a.member_id, sum(a.balance)
    FROM public.wallets_account a JOIN public.exchange_token t ON t.id = p_token
    WHERE a.asset_id = p_token::text AND a.kind IN ('available', 'reserved', 'lien') AND a.balance > 0
        AND (a.member_id IS NOT NULL OR a.organisation_id <> t.issuer_id)
    GROUP BY a.organisation_id, a.member_id
$$;

-- What units receive, rounded down to the decimals of the currency. Interest is divided last: by 100, as
-- its rate is percent, and by the days of a year.
CREATE FUNCTION income_of(
    p_units numeric, p_amount numeric, p_principal numeric, p_rate numeric, p_days integer,
    p_decimals integer
) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN p_principal IS NULL THEN trunc(p_units * p_amount, p_decimals)
        ELSE trunc(div(p_units * p_principal * p_rate * p_days * 10::numeric ^ p_decimals, 100 * 365)
                   / 10::numeric ^ p_decimals, p_decimals)
    END
$$;

-- Makes the record of an announced distribution whose time has come: stores the units and the income of
-- each owner, cancels open orders where the price goes ex by `p_ex_percent` of `price.sell` or more, and
-- lets units change hands again. Returns whether it was made now.
--
-- One call under the lock of the token. Until it, nothing that changes an owner of units passes, so that
-- a late call records the same.
CREATE FUNCTION record_distribution(p_distribution uuid, p_ex_percent numeric, p_actor text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    d credit_distribution;
    v_decimals integer;
    v_price numeric;
    v_now timestamptz;
BEGIN
    PERFORM name_actor(p_actor);
    SELECT c.decimals, t.price_sell INTO v_decimals, v_price
        FROM exchange_token t JOIN exchange_currency c ON c.code = t.currency_id
        WHERE t.id = (SELECT x.token_id FROM credit_distribution x WHERE x.id = p_distribution)
        FOR NO KEY UPDATE OF t;
    d := (SELECT x FROM credit_distribution x WHERE x.id = p_distribution FOR NO KEY UPDATE);
    v_now := clock_timestamp();
    IF d.id IS NULL OR d.status <> 'Announced' OR d.corrects_id IS NOT NULL OR d.record_at > v_now THEN
        RETURN false;
    END IF;
    -- What is recorded earlier, or at the same time, is owed before the units are taken back.
    IF d.final AND EXISTS (
        SELECT FROM credit_distribution x
        WHERE x.token_id = d.token_id AND x.id <> d.id AND x.status = 'Announced' AND x.record_at <= d.record_at)
    THEN
        RETURN false;
    END IF;
    -- Loans before accounts, in the order of every service.
    PERFORM 1 FROM credit_loan l WHERE EXISTS (
        SELECT FROM credit_collateral c
        WHERE c.loan_id = l.id AND c.token_id = d.token_id AND units_in_lien(c, l) > 0)
        ORDER BY l.id FOR NO KEY UPDATE;
    -- Rounded down once for an owner. Its pledged units have a row for each loan, rounded down, and the
    -- other units one with the rest; without others, the newest loan has it.
    INSERT INTO credit_income
        (id, distribution_id, organisation_id, member_id, loan_id, units, gross, tax_rate, tax, net, status,
         paid_to, recovered, created_at)
    WITH held AS (
        SELECT h.organisation_id, h.member_id, h.units, income_of(
                   h.units, d.amount_per_unit, d.principal_per_unit, d.rate, d.days, v_decimals) AS gross
        FROM entitled_units(d.token_id) h
    ), pledged AS (
        SELECT l.borrower_id, l.id AS loan_id, u.units, income_of(
                   u.units, d.amount_per_unit, d.principal_per_unit, d.rate, d.days, v_decimals) AS gross
        FROM credit_collateral c
        JOIN credit_loan l ON l.id = c.loan_id
        CROSS JOIN LATERAL (SELECT units_in_lien(c, l) AS units) u
        WHERE c.token_id = d.token_id AND u.units > 0
    ), rest AS (
        SELECT h.organisation_id, h.member_id, h.units - coalesce(sum(p.units), 0) AS units,
               h.gross - coalesce(sum(p.gross), 0) AS gross,
               (array_agg(p.loan_id ORDER BY p.loan_id DESC))[1] AS newest
        FROM held h LEFT JOIN pledged p ON p.borrower_id = h.member_id
        GROUP BY h.organisation_id, h.member_id, h.units, h.gross
    )
    SELECT new_id(), d.id, x.organisation_id, x.member_id, x.loan_id, x.units, x.gross, 0, 0, x.gross,
           CASE WHEN x.gross > 0 OR d.final THEN 'Due' ELSE 'Nil' END, '', 0, v_now
    FROM (
        SELECT r.organisation_id, r.member_id, NULL::uuid AS loan_id, r.units, r.gross
        FROM rest r WHERE r.units > 0
        UNION ALL
        SELECT r.organisation_id, r.member_id, p.loan_id, p.units,
               p.gross + CASE WHEN r.units = 0 AND r.newest = p.loan_id THEN r.gross ELSE 0 END
        FROM pledged p JOIN rest r ON r.member_id = p.borrower_id
    ) x;
    IF d.final OR d.amount_per_unit * 100 >= p_ex_percent * v_price THEN
        PERFORM lock_accounts_of_token(d.token_id);
        PERFORM close_order(o.id, CASE WHEN d.final THEN 'The units are taken back'
                                       ELSE 'The price goes ex income' END, p_actor)
            FROM (SELECT x.id FROM orders_order x
                  WHERE x.token_id = d.token_id AND x.status = 'Active' ORDER BY x.seq) o;
    END IF;
    UPDATE credit_distribution SET status = 'Recorded',
        to_collateral = type IN ('Principal', 'Redemption', 'Exit')
            OR d.amount_per_unit * 100 >= p_ex_percent * v_price,
        (holders, units, gross, tax, net) = (
        SELECT count(DISTINCT i.owner_id), coalesce(sum(i.units), 0), coalesce(sum(i.gross), 0),
               coalesce(sum(i.tax), 0), coalesce(sum(i.net), 0)
        FROM credit_income i WHERE i.distribution_id = d.id)
    WHERE id = d.id;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION record_distribution FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_distribution TO exchange_runtime;
