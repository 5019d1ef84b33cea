-- Guards of treasury movements, their legs, and the record that justifies their transfer.
CREATE TRIGGER reference_key BEFORE INSERT ON wallets_treasurymovement
    FOR EACH ROW EXECUTE FUNCTION set_reference_key();
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_treasurymovement
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'treasury_movement', 'proposed_by_id', 'Pending', 'Approved', 'reason,approval_reason');
REVOKE DELETE ON wallets_treasurymovement FROM exchange_runtime;
SELECT audit_table('wallets_treasurymovement', left_out => '{reference_key}');

SELECT set_transfer_rule('treasury', '{treasury,clearing,fees,expenses,position,tax}',
    '{treasury,clearing,fees,expenses,position}', 'treasury:{id}', 'wallets_treasurymovement',
    '{Approved}', false, 'public.treasury_transfer_fits(NEW)');

-- The legs of a movement: the one place that says what each kind moves. `treasury` is the exchange's own
-- money at the provider; below zero, what the exchange is yet to pay in.
CREATE FUNCTION treasury_legs(
    p_kind text, p_currency text, p_amount numeric, p_charge numeric, p_bought_currency text,
    p_bought_amount numeric, p_closed_amount numeric
) RETURNS TABLE (currency text, account text, amount numeric) LANGUAGE sql IMMUTABLE AS $$
    SELECT l.currency, l.account, l.amount
    FROM (VALUES
        ('top_up', p_currency, 'treasury', p_amount),
        ('top_up', p_currency, 'expenses', - p_charge),
        ('top_up', p_currency, 'clearing', p_charge - p_amount),
        ('draw_down', p_currency, 'treasury', - p_amount),
        ('draw_down', p_currency, 'expenses', - p_charge),
        ('draw_down', p_currency, 'clearing', p_amount + p_charge),
        ('fee_payout', p_currency, 'fees', - p_amount),
        ('fee_payout', p_currency, 'expenses', - p_charge),
        ('fee_payout', p_currency, 'clearing', p_amount + p_charge),
        ('tax_remittance', p_currency, 'tax', - p_amount),
        ('tax_remittance', p_currency, 'expenses', - p_charge),
        ('tax_remittance', p_currency, 'clearing', p_amount + p_charge),
        ('position_close', p_currency, 'position', - p_amount),
        ('position_close', p_currency, 'treasury', p_amount),
        ('position_close', p_bought_currency, 'position', p_closed_amount),
        ('position_close', p_bought_currency, 'treasury', - p_bought_amount),
        ('position_close', p_bought_currency, 'fees', greatest(p_bought_amount - p_closed_amount, 0)),
        ('position_close', p_bought_currency, 'expenses', least(p_bought_amount - p_closed_amount, 0))
    ) l (kind, currency, account, amount)
    WHERE l.kind = p_kind AND l.amount <> 0
$$;

-- Whether an approved movement justifies a transfer: exactly its legs.
CREATE FUNCTION treasury_transfer_fits(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((e.fits AND e.amount = l.amount) IS TRUE)
        FROM public.wallets_treasurymovement m
        CROSS JOIN LATERAL (
            SELECT x.kind, x.asset_id, x.amount, x.fits
            FROM public.transfer_legs(posted, m.status) x
        ) e
        LEFT JOIN LATERAL public.treasury_legs(
            m.kind, m.currency_id, m.amount, m.charge, m.bought_currency_id, m.bought_amount,
            m.closed_amount) l ON l.currency = e.asset_id AND l.account = e.kind
        WHERE m.id = posted.subject_id AND m.decided_by_id <> m.proposed_by_id
        HAVING count(*) = (
            SELECT count(*) FROM public.wallets_treasurymovement m
            CROSS JOIN LATERAL public.treasury_legs(
                m.kind, m.currency_id, m.amount, m.charge, m.bought_currency_id, m.bought_amount,
                m.closed_amount)
            WHERE m.id = posted.subject_id));
END $$;
