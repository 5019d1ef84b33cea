-- What a command put on hold after a restore is released once every day from the restored moment up to
-- today has a complete reconciliation since.
CREATE FUNCTION payouts_reconciled_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    -- Null without such a hold, or after its release.
    v_day date := (
        SELECT min((d.day AT TIME ZONE 'UTC')::date)
        FROM public.wallets_settingchange h
        CROSS JOIN LATERAL generate_series(
            date_trunc('day', h.effective_at, 'UTC'), clock_timestamp(), interval '1 day'
        ) d (day)
        WHERE h.configuration_id = 'PAYOUTS_ON_HOLD' AND h.status = 'Approved'
            AND h.proposed_by_id IS NULL
            AND NOT EXISTS (
                SELECT FROM public.wallets_settingchange r
                WHERE r.configuration_id = h.configuration_id AND r.status = 'Approved'
                    AND r.value = 0 AND r.effective_at > h.created_at)
            AND NOT EXISTS (
                SELECT FROM public.wallets_reconciliation r
                WHERE r.day = (d.day AT TIME ZONE 'UTC')::date
                    AND r.status IN ('Matched', 'Differs') AND r.created_at >= h.created_at));
BEGIN
    IF v_day IS NOT NULL THEN
        RAISE EXCEPTION 'payouts stay on hold: % is not reconciled since the restore', v_day
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payouts_reconciled';
    END IF;
    RETURN NEW;
END $$;
-- Named to fire after setting_change_guard.
CREATE TRIGGER setting_reconciled_guard BEFORE UPDATE OF status ON wallets_settingchange
    FOR EACH ROW WHEN (NEW.configuration_id = 'PAYOUTS_ON_HOLD' AND NEW.value = 0
        AND OLD.status = 'Pending' AND NEW.status = 'Approved')
    EXECUTE FUNCTION payouts_reconciled_guard();
