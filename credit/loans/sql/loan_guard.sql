-- Invariants of loans, enforced for every writer.

-- A time as JavaScript's Date.prototype.toString() prints it in West Africa time (UTC+1 always).
CREATE FUNCTION javascript_time(moment timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    local timestamp := moment AT TIME ZONE interval '1 hour';
BEGIN
    RETURN to_char(local, 'Dy Mon DD YYYY HH24:MI:SS') || ' GMT+0100 (West Africa Standard Time)';
END $$;

SELECT guard_start('credit_loan', '{"status": "ACTIVE", "interest_repaid": 0, "principal_repaid": 0,
    "closed_at": null}');
SELECT guard_moves('credit_loan', '{ACTIVE>COMPLETED,ACTIVE>OVERDUE,OVERDUE>COMPLETED,OVERDUE>DEFAULTED,
    DEFAULTED>COMPLETED,DEFAULTED>LIQUIDATED,DEFAULTED>WRITTEN_OFF}');
SELECT keep_columns('credit_loan', '{id,borrower_id,organisation_id,creditor_id,configuration_id,version_id,
    currency_id,amount,repayment_amount,repayment_date,interest_rate,collateral_ratio,duration,grace_period,
    grace_period_unit,reason,bank_name,bank_code,account_number,requested_by,created_at,client_reference,
    metadata}');

CREATE FUNCTION loan_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'loans are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.status NOT IN ('ACTIVE', 'OVERDUE', 'DEFAULTED')
        -- Rewriting the document is allowed.
        AND (OLD.interest_repaid, OLD.principal_repaid, OLD.collateral_text, OLD.closed_at)
            IS DISTINCT FROM
            (NEW.interest_repaid, NEW.principal_repaid, NEW.collateral_text, NEW.closed_at)
    THEN
        RAISE EXCEPTION 'loan % is %: that is final', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_transition';
    END IF;
    IF NEW.interest_repaid < OLD.interest_repaid OR NEW.principal_repaid < OLD.principal_repaid
        OR (NEW.status = 'COMPLETED')
            <> (NEW.interest_repaid + NEW.principal_repaid = NEW.repayment_amount)
        OR (NEW.closed_at IS NULL) <> (NEW.status IN ('ACTIVE', 'OVERDUE', 'DEFAULTED'))
    THEN
        RAISE EXCEPTION 'loan % cannot be % with that much repaid', OLD.id, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_repaid';
    END IF;
    IF (OLD.interest_repaid, OLD.principal_repaid)
            IS DISTINCT FROM (NEW.interest_repaid, NEW.principal_repaid)
        AND (NEW.interest_repaid, NEW.principal_repaid) IS DISTINCT FROM (
            SELECT (coalesce(sum(r.interest), 0), coalesce(sum(r.principal), 0))
            FROM public.credit_repayment r WHERE r.loan_id = NEW.id)
    THEN
        RAISE EXCEPTION 'loan % does not match its repayments', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_repaid_by_repayments';
    END IF;
    IF NEW.status IN ('LIQUIDATED', 'WRITTEN_OFF') AND OLD.status = 'DEFAULTED' AND NOT EXISTS (
        SELECT FROM public.credit_closureproposal p
        JOIN public.wallets_transfer t ON t.reference = 'loan:' || NEW.id || ':end'
        WHERE p.loan_id = NEW.id AND p.status = 'Approved'
            AND (p.action, t.kind) IN (
                ('liquidate', 'loan_liquidate'), ('write_off', 'loan_write_off'))
            AND NEW.status = CASE p.action WHEN 'liquidate' THEN 'LIQUIDATED'
                                           ELSE 'WRITTEN_OFF' END)
    THEN
        RAISE EXCEPTION 'loan % can only be closed by a confirmed proposal', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_ended_by_proposal';
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER loan_guard BEFORE UPDATE OR DELETE ON credit_loan
    FOR EACH ROW EXECUTE FUNCTION loan_guard();
REVOKE DELETE ON credit_loan, credit_collateral, credit_shortfall FROM exchange_runtime;
SELECT make_append_only('credit_repayment');

-- Not audited: repayments, which are append-only and name the payer; valuations, which are recalculated
-- daily; and rows written by `make_loan`, which are complete and name the requester.
SELECT audit_table('credit_loan', about => 'organisation_id',
    left_out => '{updated_at,collateral_text,document,cash_funded,cash_expected}',
    inserts => $$NOT recorded_by_function()$$);
SELECT audit_table('credit_collateral', about => 'loan_id',
    inserts => $$NOT recorded_by_function()$$);
SELECT audit_table('credit_shortfall', about => 'loan_id');

-- A repayment is written after its transfer.
CREATE FUNCTION repayment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.wallets_transfer t
        WHERE t.reference = 'loan:' || NEW.loan_id || ':repay:' || NEW.id)
    THEN
        RAISE EXCEPTION 'no money moved for repayment %', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'repayment_moved_money';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER repayment_guard BEFORE INSERT ON credit_repayment
    FOR EACH ROW EXECUTE FUNCTION repayment_guard();
