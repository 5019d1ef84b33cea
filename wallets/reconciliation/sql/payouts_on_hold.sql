-- What a command put on hold after a restore is released once every day since is reconciled.

-- The first day from a restored moment up to today without a complete reconciliation since a command
-- put payouts on hold; null without such a hold, or after its release.
CREATE FUNCTION find_day_to_reconcile() RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT min((d.day AT TIME ZONE 'UTC')::date)
        FROM public.wallets_configurationfigure h
        CROSS JOIN LATERAL generate_series(
            date_trunc('day', h.effective_at, 'UTC'), clock_timestamp(), interval '1 day'
        ) d (day)
        WHERE h.configuration_id = 'PAYOUTS_ON_HOLD' AND h.status = 'Approved'
            AND h.proposed_by_id IS NULL
            AND NOT EXISTS (
                SELECT FROM public.wallets_configurationfigure r
                WHERE r.configuration_id = h.configuration_id AND r.status = 'Approved'
                    AND r.value = 0 AND r.effective_at > h.created_at)
            AND NOT EXISTS (
                SELECT FROM public.wallets_reconciliation r
                WHERE r.day = (d.day AT TIME ZONE 'UTC')::date
                    AND r.status IN ('Matched', 'Differs') AND r.created_at >= h.created_at));
END $$;

CREATE FUNCTION payouts_reconciled_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF public.find_day_to_reconcile() IS NOT NULL THEN
        RAISE EXCEPTION 'payouts stay on hold: % is not reconciled since the restore',
            public.find_day_to_reconcile()
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payouts_reconciled';
    END IF;
    RETURN NEW;
END $$;
-- Named to fire after setting_change_guard.
CREATE TRIGGER setting_reconciled_guard BEFORE UPDATE OF status ON wallets_configurationfigure
    FOR EACH ROW WHEN (NEW.configuration_id = 'PAYOUTS_ON_HOLD' AND NEW.value = 0
        AND OLD.status = 'Pending' AND NEW.status = 'Approved')
    EXECUTE FUNCTION payouts_reconciled_guard();
