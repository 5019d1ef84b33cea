-- Guards of distributions, of the income of their holders, and of what two people decide about them.

SELECT guard_start('credit_distribution', '{"status": "Draft", "overdue": false, "version": 1,
    "holders": null, "units": null, "gross": null, "tax": null, "net": null,
    "to_collateral": false}');
SELECT guard_moves('credit_distribution', '{Draft>Announced,Draft>Cancelled,Announced>Recorded,
    Announced>Cancelled,Recorded>Funded,Recorded>Cancelled,Funded>Paying,Funded>Cancelled,Paying>Paid}');
SELECT keep_columns('credit_distribution', '{id,token_id,type,currency_id,corrects_id,final,period_end,
    proposed_by,proposed_by_label,created_at}');
REVOKE DELETE ON credit_distribution FROM exchange_runtime;

-- Announced, changed and cancelled as two people approved; recorded by `record_distribution` alone, which
-- sets the sums, and Paying by `start_paying`, which withholds tax; funded and given back with their
-- transfer; paid once every holder has the money that can have it.
CREATE FUNCTION distribution_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_changes boolean := (
        OLD.amount_per_unit, OLD.principal_per_unit, OLD.rate, OLD.days, OLD.record_at, OLD.payment_date,
        OLD.version)
        IS DISTINCT FROM (
        NEW.amount_per_unit, NEW.principal_per_unit, NEW.rate, NEW.days, NEW.record_at, NEW.payment_date,
        NEW.version);
    -- A draft of the schedule that is approved late: its record moves, what it pays stays.
    v_postponed boolean := OLD.status = 'Draft' AND NEW.status = 'Announced' AND OLD.period_end IS NOT NULL
        AND NEW.record_at > OLD.record_at
        AND NEW.payment_date = greatest(OLD.payment_date, (NEW.record_at AT TIME ZONE 'UTC')::date)
        AND (OLD.amount_per_unit, OLD.principal_per_unit, OLD.rate, OLD.days, OLD.version)
            IS NOT DISTINCT FROM
            (NEW.amount_per_unit, NEW.principal_per_unit, NEW.rate, NEW.days, NEW.version);
    v_broken text := CASE
        WHEN OLD.status = 'Draft' AND NEW.status = 'Announced'
            AND NOT public.distribution_approved(NEW, 'announce') THEN 'distribution_announced_by_two'
        WHEN v_changes AND NOT v_postponed AND (OLD.status <> 'Announced' OR NEW.status <> 'Announced'
            OR NEW.version <> OLD.version + 1 OR NOT public.distribution_approved(NEW, 'change'))
            THEN 'distribution_changed_by_two'
        WHEN OLD.status = 'Draft' AND NEW.status = 'Announced' AND NEW.corrects_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM public.credit_distribution o
            WHERE o.id = NEW.corrects_id AND o.status = 'Paid' AND o.corrects_id IS NULL
                AND (o.token_id, o.type, o.currency_id, o.record_at)
                    = (NEW.token_id, NEW.type, NEW.currency_id, NEW.record_at))
            THEN 'distribution_corrects_paid'
        -- A redemption is announced for all that is outstanding then.
        WHEN NEW.type = 'Principal' AND NEW.status = 'Announced' AND NEW.amount_per_unit > (
            SELECT CASE WHEN bool_or(x.type = 'Redemption') THEN 0
                        ELSE t.issue_price
                            - coalesce(sum(x.amount_per_unit) FILTER (WHERE x.type = 'Principal'), 0) END
            FROM public.exchange_token t
            LEFT JOIN public.credit_distribution x ON x.token_id = t.id
                AND x.type IN ('Principal', 'Redemption')
                AND x.status NOT IN ('Draft', 'Cancelled') AND x.id <> NEW.id
            WHERE t.id = NEW.token_id GROUP BY t.issue_price)
            THEN 'distribution_within_principal'
        WHEN OLD.status NOT IN ('Draft', 'Cancelled') AND NEW.status = 'Cancelled'
            AND NOT public.distribution_approved(NEW, 'cancel') THEN 'distribution_cancelled_by_two'
        WHEN current_user = 'exchange_runtime' AND (
            OLD.status = 'Announced' AND NEW.status = 'Recorded'
            OR OLD.status = 'Funded' AND NEW.status = 'Paying'
            OR (OLD.holders, OLD.units, OLD.gross, OLD.tax, OLD.net, OLD.to_collateral)
                IS DISTINCT FROM (NEW.holders, NEW.units, NEW.gross, NEW.tax, NEW.net, NEW.to_collateral))
            THEN 'distribution_recorded_by_function'
        WHEN OLD.status = 'Recorded' AND NEW.status = 'Funded' AND NEW.gross > 0
            AND NOT public.distribution_moved(NEW.id, 'fund') THEN 'distribution_funded'
        WHEN OLD.status = 'Funded' AND NEW.status = 'Cancelled' AND NEW.gross > 0
            AND NOT public.distribution_moved(NEW.id, 'refund') THEN 'distribution_given_back'
        WHEN OLD.status = 'Paying' AND NEW.status = 'Paid' AND EXISTS (
            SELECT FROM public.credit_income i
            LEFT JOIN public.exchange_member m ON m.id = i.member_id
            WHERE i.distribution_id = NEW.id AND i.status = 'Due' AND i.gross >= 0 AND m.closed_at IS NULL)
            THEN 'distribution_paid_to_all'
    END;
BEGIN
    IF v_broken IS NOT NULL THEN
        RAISE EXCEPTION 'distribution % cannot go from % to % like this', NEW.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = v_broken;
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER distribution_guard BEFORE UPDATE ON credit_distribution
    FOR EACH ROW EXECUTE FUNCTION distribution_guard();

-- Whether two people approved the action last; of a change, with these terms.
CREATE FUNCTION distribution_approved(d credit_distribution, p_action text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM (
            SELECT p.terms, p.proposed_by, p.decided_by_id
            FROM public.credit_distributionproposal p
            WHERE p.distribution_id = d.id AND p.action = p_action AND p.status = 'Approved'
            ORDER BY p.decided_at DESC LIMIT 1) p
        WHERE p.proposed_by <> 'staff:' || p.decided_by_id
            AND (p.terms IS NULL OR (
                (p.terms ->> 'amount_per_unit')::numeric, (p.terms ->> 'principal_per_unit')::numeric,
                (p.terms ->> 'rate')::numeric, (p.terms ->> 'days')::integer,
                (p.terms ->> 'record_at')::timestamptz, (p.terms ->> 'payment_date')::date)
                IS NOT DISTINCT FROM (
                d.amount_per_unit, d.principal_per_unit, d.rate, d.days, d.record_at, d.payment_date)));
END $$;

-- Whether money of a distribution was moved: `fund` or `refund`.
CREATE FUNCTION distribution_moved(p_distribution uuid, p_step text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.wallets_transfer t
        WHERE t.reference = 'distribution:' || p_distribution || ':' || p_step);
END $$;

-- Past the next record of a token, no unit changes hands (exchange/tokens/sql/record_guard.sql): until it
-- is made, and of a final distribution until it is paid, which exits the token. Whoever changes the
-- distribution holds the lock of the token.
CREATE FUNCTION set_next_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE public.exchange_token SET exited = exited OR NEW.final AND NEW.status = 'Paid',
        (next_record_at, next_payment_date, units_held) = (
        SELECT min(d.record_at) FILTER (WHERE d.status = 'Announced' OR d.final), min(d.payment_date),
               coalesce(bool_or(d.final AND d.status <> 'Announced'), false)
        FROM public.credit_distribution d
        WHERE d.token_id = NEW.token_id AND d.status IN ('Announced', 'Recorded', 'Funded', 'Paying')
            AND d.corrects_id IS NULL)
    WHERE id = NEW.token_id;
    RETURN NULL;
END $$;
CREATE TRIGGER set_next_record AFTER UPDATE OF status, record_at, payment_date ON credit_distribution
    FOR EACH ROW EXECUTE FUNCTION set_next_record();

SELECT audit_table('credit_distribution', about => 'token_id', left_out => '{updated_at}');

-- Proposals: two people (exchange/staff/sql/two_person.sql).
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON credit_distributionproposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'distribution_proposal', 'proposed_by', 'Pending', 'Approved', 'reason');
REVOKE DELETE ON credit_distributionproposal FROM exchange_runtime;
SELECT audit_table('credit_distributionproposal', about => 'distribution_id');

-- Income is written by the record, its tax by the start of payment, and it is paid with its transfer.
SELECT guard_moves('credit_income', '{Due>Paid,Paid>Corrected,Nil>Corrected}');
SELECT keep_columns('credit_income', '{id,distribution_id,organisation_id,loan_id,units,gross,created_at}');
REVOKE INSERT, DELETE ON credit_income FROM exchange_runtime;

-- Where income goes: of pledged units to their loan, if it is collateral or the loan is in default; after
-- a liquidation to the claim of its creditor. What was paid too much comes from the wallet.
CREATE FUNCTION income_target(i credit_income) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN EXISTS (
        SELECT FROM public.credit_loan l JOIN public.credit_distribution d ON d.id = i.distribution_id
        WHERE l.id = i.loan_id AND i.gross >= 0 AND CASE WHEN l.closed_at IS NULL
            THEN d.to_collateral OR l.status = 'DEFAULTED' ELSE l.claim > 0 END)
        THEN 'loan' ELSE 'wallet' END
$$;

CREATE FUNCTION income_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.gross >= 0 AND NOT EXISTS (
        SELECT FROM public.wallets_transfer t
        WHERE t.reference = 'income:' || NEW.id AND t.kind = 'distribution_pay')
    THEN
        RAISE EXCEPTION 'income % was not paid', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'income_paid';
    END IF;
    IF NEW.paid_to <> (CASE
        WHEN OLD.status = 'Paid' THEN OLD.paid_to
        -- Its transfer is checked against the claim that it reduced.
        WHEN NEW.to_creditor > 0 THEN 'loan' ELSE public.income_target(NEW) END)
    THEN
        RAISE EXCEPTION 'income % is not for the %', NEW.id, NEW.paid_to
            USING ERRCODE = 'check_violation', CONSTRAINT = 'income_target';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER income_guard BEFORE UPDATE OF status, paid_to ON credit_income
    FOR EACH ROW WHEN (NEW.status = 'Paid') EXECUTE FUNCTION income_guard();

-- Marked by the payment of what corrects it.
CREATE FUNCTION corrected_income_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_user = 'exchange_runtime' THEN
        RAISE EXCEPTION 'income % is not corrected', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'income_corrected';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER corrected_income_guard BEFORE UPDATE OF status ON credit_income
    FOR EACH ROW WHEN (NEW.status = 'Corrected' AND OLD.status <> 'Corrected')
    EXECUTE FUNCTION corrected_income_guard();

CREATE FUNCTION income_tax_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_user = 'exchange_runtime' OR NOT EXISTS (
        SELECT FROM public.credit_distribution d WHERE d.id = NEW.distribution_id AND d.status = 'Funded')
    THEN
        RAISE EXCEPTION 'the tax of income % is set when its payment starts', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER income_tax_guard BEFORE UPDATE OF tax_rate, tax, net ON credit_income
    FOR EACH ROW WHEN ((OLD.tax_rate, OLD.tax, OLD.net) IS DISTINCT FROM (NEW.tax_rate, NEW.tax, NEW.net))
    EXECUTE FUNCTION income_tax_guard();

-- What is due to a closed member goes to another owner of its organisation, as two people decided.
CREATE FUNCTION assigned_income_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> 'Due' OR NEW.gross < 0
        OR NEW.assigned_from_id IS DISTINCT FROM coalesce(OLD.assigned_from_id, OLD.member_id)
        OR NOT EXISTS (
            SELECT FROM public.exchange_member m
            WHERE m.id = OLD.member_id AND m.closed_at IS NOT NULL)
        OR NEW.member_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM public.exchange_member m
            WHERE m.id = NEW.member_id AND m.organisation_id = NEW.organisation_id)
        OR NOT EXISTS (
            SELECT FROM public.credit_distributionproposal p
            WHERE p.distribution_id = NEW.distribution_id AND p.action = 'assign'
                AND p.status = 'Approved' AND p.proposed_by <> 'staff:' || p.decided_by_id
                AND p.terms ->> 'income' = NEW.id::text
                AND p.terms ->> 'owner' = coalesce(NEW.member_id, NEW.organisation_id)::text)
    THEN
        RAISE EXCEPTION 'income % is not assigned by two people', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'income_assigned_by_two';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER assigned_income_guard BEFORE UPDATE OF member_id, assigned_from_id ON credit_income
    FOR EACH ROW WHEN ((OLD.member_id, OLD.assigned_from_id)
                       IS DISTINCT FROM (NEW.member_id, NEW.assigned_from_id))
    EXECUTE FUNCTION assigned_income_guard();

-- The record and the start of payment write it, and its transfer names who paid it: none needs an
-- audit.
SELECT audit_table('credit_income', about => 'distribution_id', left_out => '{owner_id}',
    inserts => $$NOT recorded_by_function()$$,
    updates => $$NOT recorded_by_function() AND NOT (OLD.status = 'Due' AND NEW.status = 'Paid')$$);
