-- Circuit breaker of payouts: legal state changes, and no posting while it is open, payouts are on hold,
-- or the owner is frozen or owes.

CREATE FUNCTION payout_circuit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id <> OLD.id
        OR (OLD.state, NEW.state) IN (
            ('Closed', 'Half-open'), ('Open', 'Closed'))
        -- Only the trial payout closes the circuit.
        OR OLD.state = 'Half-open' AND NEW.state = 'Closed' AND OLD.trial_id IS NULL
        -- One trial at a time.
        OR OLD.trial_id <> NEW.trial_id
    THEN
        RAISE EXCEPTION 'the circuit of payouts cannot go from % (trial %) to % (trial %)',
            OLD.state, OLD.trial_id, NEW.state, NEW.trial_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payout_circuit_transition';
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER payout_circuit_guard BEFORE UPDATE ON wallets_payoutcircuit
    FOR EACH ROW EXECUTE FUNCTION payout_circuit_guard();
SELECT make_permanent('wallets_payoutcircuit');
REVOKE INSERT ON wallets_payoutcircuit FROM exchange_runtime;

-- A payout is marked for posting only while the circuit permits it. The lock orders marks and the
-- opening of the circuit, so every mark after the opening sees it open.
CREATE FUNCTION payout_post_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_block text;
BEGIN
    PERFORM 1 FROM public.wallets_payoutcircuit
        WHERE state = 'Closed'
            OR state = 'Half-open' AND trial_id = NEW.withdrawal_id
                AND trial_until > clock_timestamp()
        FOR SHARE;
    IF NOT FOUND OR public.effective_setting('PAYOUTS_ON_HOLD') > 0 THEN
        RAISE EXCEPTION 'no payout is posted now: payouts are on hold'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payout_circuit_open';
    END IF;
    -- The worker has locked the owner.
    v_block := (SELECT public.owner_block(w.organisation_id, w.member_id, w.currency_id)
                FROM public.wallets_withdrawal w WHERE w.id = NEW.withdrawal_id);
    IF v_block IS NOT NULL THEN
        RAISE EXCEPTION 'this payout is not posted now: %', v_block
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payout_owner_blocked';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER payout_post_guard BEFORE UPDATE OF posted_at ON wallets_payout
    FOR EACH ROW WHEN (OLD.posted_at IS NULL AND NEW.posted_at IS NOT NULL)
    EXECUTE FUNCTION payout_post_guard();
SELECT guard_start('wallets_payout', '{"posted_at": null, "settled_at": null, "provider_id": "",
    "provider_status": "", "provider_fee": null}');

SELECT audit_table('wallets_payoutcircuit',
    left_out => '{failures,next_probe_at,trial_until,quiet_until,updated_at}');
