-- The effective settings of withdrawals in one currency, at the start of the transaction (which is
-- when a request made in it is created).
CREATE FUNCTION withdrawal_settings(
    p_currency text,
    OUT minimum numeric, OUT fee numeric, OUT usd_rate numeric, OUT second_approval numeric,
    OUT internal_fee numeric
) LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT greatest(max(value) FILTER (WHERE key = 'MINIMUM_WITHDRAWAL_' || p_currency), 1),
           coalesce(max(value) FILTER (WHERE key = p_currency || '_WITHDRAWAL_FEE'), 0),
           max(value) FILTER (WHERE key = p_currency || '_USD_RATE' AND value > 0),
           max(value) FILTER (WHERE key = 'SECOND_APPROVAL_ABOVE_' || p_currency),
           coalesce(max(value) FILTER (WHERE key = p_currency || '_INTERNAL_FEE'), 0)
        INTO minimum, fee, usd_rate, second_approval, internal_fee
        FROM (
            SELECT c.key, coalesce(f.value, c.value) AS value
            FROM public.wallets_configuration c
            LEFT JOIN LATERAL (
                SELECT value FROM public.wallets_settingchange
                WHERE configuration_id = c.key AND status = 'Approved' AND effective_at <= now()
                ORDER BY effective_at DESC, decided_at DESC LIMIT 1
            ) f ON true
            WHERE c.key IN ('MINIMUM_WITHDRAWAL_' || p_currency, p_currency || '_WITHDRAWAL_FEE',
                            p_currency || '_USD_RATE', 'SECOND_APPROVAL_ABOVE_' || p_currency,
                            p_currency || '_INTERNAL_FEE')
        ) settings;
END $$;
