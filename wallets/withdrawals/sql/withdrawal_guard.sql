-- Guards of withdrawals and their bank records; the states of a withdrawal are in
-- withdrawal_transitions.sql.

-- Named to fire before zz_document, which must see the row as it will be.
CREATE TRIGGER withdrawal_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_withdrawal
    FOR EACH ROW EXECUTE FUNCTION withdrawal_guard();

-- A bank record is immutable except for the corridor fields while the withdrawal is Pending.
CREATE FUNCTION bank_account_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'bank records are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.id, OLD.organisation_id, OLD.name, OLD.code, OLD.provider_bank_id,
        OLD.account_number, OLD.account_name, OLD.provided_name, OLD.name_resolved,
        OLD.currency_id, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.name, NEW.code, NEW.provider_bank_id,
        NEW.account_number, NEW.account_name, NEW.provided_name, NEW.name_resolved,
        NEW.currency_id, NEW.created_at)
    THEN
        RAISE EXCEPTION 'bank record % is a snapshot', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    -- The remaining fields may change until the first decision.
    IF OLD IS DISTINCT FROM NEW AND EXISTS (
        SELECT FROM public.wallets_withdrawal w
        WHERE w.bank_id = OLD.id AND w.status <> 'Pending')
    THEN
        RAISE EXCEPTION 'bank record % belongs to a decided withdrawal', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER bank_account_guard BEFORE UPDATE OR DELETE ON wallets_bankaccount
    FOR EACH ROW EXECUTE FUNCTION bank_account_guard();

SELECT make_append_only('wallets_decision');

-- The functions that post the transfer of a withdrawal insert it and its bank record.
REVOKE INSERT, DELETE ON wallets_withdrawal FROM exchange_runtime;
REVOKE DELETE ON wallets_payout FROM exchange_runtime;

-- Not audited: what these functions insert, which records its own actor and time. Other inserts are.
SELECT audit_table('wallets_withdrawal', about => 'organisation_id',
    left_out => '{owner_id,updated_at,document}',
    inserts => $$NOT recorded_by_function()$$);
-- Claims, leases and schedules of workers are not audited.
SELECT audit_table('wallets_payout', record => 'withdrawal_id',
    left_out => '{claimed_by,leased_until,attempts,next_step_at,status_checks,last_not_found_at,
                  monitor_until,updated_at}');
