-- The figures in force for withdrawals in one currency.
CREATE OR REPLACE FUNCTION withdrawal_figures(
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
        FROM public.wallets_configuration
        WHERE key IN ('MINIMUM_WITHDRAWAL_' || p_currency, p_currency || '_WITHDRAWAL_FEE',
                      p_currency || '_USD_RATE', 'SECOND_APPROVAL_ABOVE_' || p_currency,
                      p_currency || '_INTERNAL_FEE');
END $$;
