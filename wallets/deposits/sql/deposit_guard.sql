-- Guards of deposits and of the payments behind them.

CREATE TRIGGER reference_key BEFORE INSERT ON wallets_deposit
    FOR EACH ROW WHEN (NEW.channel = 'manual') EXECUTE FUNCTION set_reference_key();

-- A manual deposit starts Pending and is completed by two people (one entered it, another decided), or
-- by the command, which records neither. The others complete with a payment at the provider, for its
-- amount. A completed deposit changes no more, except that it clears once, and may be disputed and taken
-- back, also in part, as its reversals say.
CREATE FUNCTION deposit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_changes text[] := '{status,decided_by_id,decided_at,reason,approval_reason,updated_at,owner_id,document}';
    v_taken_back numeric;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.decided_by_id IS NOT NULL OR NEW.cleared_at IS NOT NULL
            OR num_nonnulls(NEW.disputed_at, NEW.disputed_amount) > 0 OR NEW.reversed_amount <> 0
            OR NEW.status <> 'Pending' AND (NEW.channel = 'manual' OR NEW.status <> 'Completed')
        THEN
            RAISE EXCEPTION 'a deposit starts Pending'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_starts_pending';
        END IF;
    ELSE
        IF OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
            ('Pending', 'Completed'), ('Pending', 'Failed'), ('Completed', 'Reversed'))
            AND NOT (OLD.status = 'Failed' AND NEW.status = 'Completed' AND NEW.channel = 'checkout')
        THEN
            RAISE EXCEPTION 'deposit % cannot become %: it is %', OLD.id, NEW.status, OLD.status
                USING ERRCODE = 'restrict_violation';
        END IF;
        IF NEW.status = 'Completed' AND OLD.status <> 'Completed' AND NEW.channel = 'checkout' THEN
            v_changes := v_changes || '{amount,currency_id,fee,provider_fee,provider_reference,
                payer_name,payer_bank,payer_account,available_at,flags}'::text[];
        ELSIF OLD.available_at IS NOT NULL AND OLD.cleared_at IS NULL THEN
            v_changes := v_changes || '{cleared_at}'::text[];
            IF NEW.cleared_at NOT BETWEEN OLD.available_at
                AND clock_timestamp() + interval '1 minute'
            THEN
                RAISE EXCEPTION 'deposit % is not due to clear', OLD.id
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_clears_when_due';
            END IF;
        END IF;
        IF OLD.status = 'Completed' THEN
            v_changes := v_changes || '{disputed_at,disputed_amount,reversed_amount}'::text[];
        END IF;
        IF to_jsonb(OLD) - v_changes <> to_jsonb(NEW) - v_changes THEN
            RAISE EXCEPTION 'deposit % is what arrived', OLD.id USING ERRCODE = 'restrict_violation';
        END IF;
    END IF;
    IF NEW.status = 'Completed' AND NEW.channel = 'manual' THEN
        IF (NEW.entered_by_id IS NULL) <> (NEW.decided_by_id IS NULL) THEN
            RAISE EXCEPTION 'deposit % must be confirmed by someone other than the person who entered it',
                NEW.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_confirmed_by_another';
        END IF;
    END IF;
    IF TG_OP = 'INSERT' THEN
        RETURN NEW;
    END IF;
    IF NEW.status = 'Reversed' OR NEW.reversed_amount <> OLD.reversed_amount THEN
        SELECT coalesce(sum(r.amount), 0) INTO v_taken_back
            FROM public.wallets_depositreversal r
            WHERE r.deposit_id = NEW.id AND r.status = 'Approved';
        IF v_taken_back <> (CASE NEW.status WHEN 'Reversed' THEN NEW.amount - NEW.fee
                                            ELSE NEW.reversed_amount END)
            OR NEW.status = 'Completed' AND v_taken_back >= NEW.amount - NEW.fee
        THEN
            RAISE EXCEPTION 'deposit % is reversed by two people only', NEW.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_reversed_by_two';
        END IF;
    END IF;
    IF (NEW.disputed_at, NEW.disputed_amount) IS DISTINCT FROM (OLD.disputed_at, OLD.disputed_amount)
        AND (num_nonnulls(NEW.disputed_at, NEW.disputed_amount) = 1
             OR NEW.disputed_amount IS DISTINCT FROM (
                 SELECT r.amount FROM public.wallets_depositreversal r
                 WHERE r.deposit_id = NEW.id AND r.status = 'Pending' AND r.held IS NOT NULL))
    THEN
        RAISE EXCEPTION 'the dispute of deposit % is that of its pending reversal', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_dispute_proposed';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deposit_guard BEFORE INSERT OR UPDATE ON wallets_deposit
    FOR EACH ROW EXECUTE FUNCTION deposit_guard();

-- A reversal takes back no more than what is left of the deposit, and is always confirmed by a person.
-- Only what the provider says was taken back is proposed without one.
CREATE FUNCTION reversal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_left numeric;
BEGIN
    SELECT d.amount - d.fee - d.reversed_amount INTO v_left
        FROM public.wallets_deposit d WHERE d.id = NEW.deposit_id AND d.status = 'Completed';
    IF NEW.status = 'Pending' AND (
        NEW.amount <= 0 OR (NEW.amount <= v_left) IS NOT TRUE OR NEW.held < 0
        OR NEW.held > NEW.amount)
    THEN
        RAISE EXCEPTION 'reversal % is not of what is left of its deposit', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_reversal_of_what_is_left';
    ELSIF NEW.status <> 'Pending' AND NEW.held IS DISTINCT FROM OLD.held THEN
        RAISE EXCEPTION 'the decision of reversal % changes nothing that it holds', NEW.id
            USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status = 'Approved' AND NEW.decided_by_id IS NULL THEN
        RAISE EXCEPTION 'a person must confirm reversal %', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_reversal_confirmed';
    ELSIF TG_OP = 'INSERT' AND NEW.proposed_by_id IS NULL AND NOT EXISTS (
        SELECT FROM public.wallets_payment p
        JOIN public.wallets_deposit d ON d.id = p.deposit_id
        WHERE d.id = NEW.deposit_id AND p.charged_back_amount >= d.reversed_amount + NEW.amount)
    THEN
        RAISE EXCEPTION 'the provider does not say what reversal % says', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'deposit_reversal_start';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER reversal_guard BEFORE INSERT OR UPDATE ON wallets_depositreversal
    FOR EACH ROW EXECUTE FUNCTION reversal_guard();

-- Once credited, refunded or known to be unmatched, a payment stays what the status check said. Its owner
-- and its refund are decided by two people; a refund that the provider did not make is undone. What was
-- charged back is all of it, or a part in the currency's decimals.
CREATE FUNCTION payment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_closed text[] := '{status,deposit_id,last_error,updated_at,next_lookup_at,lookups,refund_reference,
        charged_back_amount}';
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a payment is never removed' USING ERRCODE = 'restrict_violation';
    ELSIF OLD.transaction_id <> NEW.transaction_id OR OLD.created_at <> NEW.created_at THEN
        RAISE EXCEPTION 'the identity of payment % never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    ELSIF OLD.status IN ('Credited', 'Unmatched', 'Refunding', 'Refunded') AND (
        to_jsonb(OLD) - v_closed <> to_jsonb(NEW) - v_closed
        OR OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
            ('Unmatched', 'Credited'), ('Unmatched', 'Refunding'), ('Refunding', 'Refunded'),
            ('Refunding', 'Unmatched'))
        OR OLD.deposit_id IS NOT NULL AND NEW.deposit_id IS DISTINCT FROM OLD.deposit_id)
    THEN
        RAISE EXCEPTION 'payment % is %', OLD.id, OLD.status USING ERRCODE = 'restrict_violation';
    ELSIF OLD.status = 'Unmatched' AND NEW.status <> 'Unmatched' AND NOT EXISTS (
        SELECT FROM public.wallets_paymentresolution r
        WHERE r.payment_id = NEW.id AND r.status = 'Approved' AND r.decided_by_id <> r.proposed_by_id
          AND r.action = CASE NEW.status WHEN 'Credited' THEN 'Assign' ELSE 'Refund' END)
    THEN
        RAISE EXCEPTION 'two people decide about payment %', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payment_decided_by_two';
    ELSIF OLD.charged_back_amount <> NEW.charged_back_amount AND (
        NEW.status IN ('Credited', 'Unmatched', 'Refunding', 'Refunded')
        AND NEW.charged_back_amount BETWEEN 0 AND NEW.amount
        AND (NEW.charged_back_amount = NEW.amount OR scale(trim_scale(NEW.charged_back_amount)) <= coalesce((
            SELECT c.decimals FROM public.exchange_currency c WHERE c.code = NEW.currency_code), 2))
    ) IS NOT TRUE
    THEN
        RAISE EXCEPTION '% of payment % cannot be charged back', NEW.charged_back_amount, OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payment_charged_back';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER payment_guard BEFORE UPDATE OR DELETE ON wallets_payment
    FOR EACH ROW EXECUTE FUNCTION payment_guard();

SELECT guard_start('wallets_payment', '{"status": "Reported", "deposit_id": null, "amount": null,
    "charged_back_amount": 0}');
SELECT guard_moves('wallets_payment', '{Reported>Pending,Reported>Credited,Reported>Unmatched,
    Reported>Failed,Reported>Disproved,Pending>Credited,Pending>Unmatched,Pending>Failed,
    Pending>Disproved,Failed>Reported,Disproved>Reported,Unmatched>Credited,Unmatched>Refunding,
    Refunding>Refunded,Refunding>Unmatched}');
-- Whoever pays into the number pays its owner.
SELECT keep_columns('wallets_virtualaccount', '{id,organisation_id,member_id,currency_id,reference,
    order_reference,bank_name,account_number,account_name,created_at}');

-- Two people (exchange/staff/sql/two_person.sql).
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE ON wallets_deposit
    FOR EACH ROW WHEN (NEW.channel = 'manual') EXECUTE FUNCTION two_person_guard(
        'deposit', 'entered_by_id', 'Pending', 'Completed', 'reason,approval_reason,owner_id,updated_at',
        'status,owner_id,updated_at,disputed_at,disputed_amount,reversed_amount', 'Pending');
CREATE TRIGGER approval_guard_delete BEFORE DELETE ON wallets_deposit
    FOR EACH ROW EXECUTE FUNCTION two_person_guard('deposit', 'entered_by_id', 'Pending', 'Completed', '');
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_depositreversal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'deposit_reversal', 'proposed_by_id', 'Pending', 'Approved', 'reason,held', '', 'Pending');
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_paymentresolution
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'payment_resolution', 'proposed_by_id', 'Pending', 'Approved', 'reason');

REVOKE DELETE ON wallets_deposit, wallets_payment, wallets_depositreversal, wallets_paymentresolution,
    wallets_virtualaccount FROM exchange_runtime;

SELECT audit_table('wallets_deposit', about => 'organisation_id',
    left_out => '{owner_id,document,updated_at,reference_key}');
SELECT audit_table('wallets_depositreversal');
SELECT audit_table('wallets_paymentresolution');
SELECT audit_table('wallets_payment',
    left_out => '{lookups,next_lookup_at,last_error,updated_at}');
SELECT audit_table('wallets_virtualaccount', about => 'organisation_id',
    left_out => '{owner_id,document}');
