-- What the exchange has of its own in a currency: fees not yet paid out, its position, and all that is
-- at the provider and no client's. Fees less charges, treasury, position, and what owners owe: the rest
-- of `clearing` is theirs, or `tax` withheld for the authorities.
--
-- System accounts keep no balance: the checkpoint has their sums up to its position, and the entries
-- since are added. The query is planned for that position: with a subquery in its place the planner
-- expects a third of all transfers, and reads every entry.
CREATE FUNCTION treasury_balances(
    p_currency text, OUT fees numeric, OUT "position" numeric, OUT treasury numeric, OUT own numeric,
    OUT tax numeric
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_position bigint := coalesce((SELECT k.position FROM public.wallets_checkpoint k), 0);
BEGIN
    SELECT coalesce(sum(b.amount) FILTER (WHERE b.kind = 'fees'), 0),
           coalesce(sum(b.amount) FILTER (WHERE b.kind = 'position'), 0),
           coalesce(sum(b.amount) FILTER (WHERE b.kind = 'treasury'), 0),
           coalesce(sum(b.amount) FILTER (WHERE b.kind <> 'tax'), 0),
           coalesce(sum(b.amount) FILTER (WHERE b.kind = 'tax'), 0)
        INTO fees, "position", treasury, own, tax
    FROM (
        SELECT a.kind, c.total AS amount
        FROM public.wallets_account a
        JOIN public.wallets_checkpointbalance c ON c.account_id = a.id
        WHERE a.asset_id = p_currency AND a.owner_id IS NULL
          AND a.kind IN ('fees', 'expenses', 'treasury', 'position', 'tax')
        UNION ALL
        SELECT a.kind, e.amount
        FROM public.wallets_transfer t
        JOIN public.wallets_entry e ON e.transfer_id = t.id AND e.asset_id = p_currency
        JOIN public.wallets_account a ON a.id = e.account_id
        WHERE t.created_txid >= v_position
          AND a.owner_id IS NULL AND a.kind IN ('fees', 'expenses', 'treasury', 'position', 'tax')
        UNION ALL
        SELECT a.kind, a.balance
        FROM public.wallets_account a
        WHERE a.kind = 'receivable' AND a.asset_id = p_currency
    ) b;
END $$;

-- Locks the exchange's own money and the tax that it holds until the transaction ends: who moves it runs one
-- after another, so that two do not spend the same.
CREATE FUNCTION lock_treasury() RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('treasury', 0))
$$;

-- Posts the transfer of an approved movement, in the transaction that approves it. What leaves the
-- provider is at most the exchange's own, or tax withheld; a position is closed, not turned. A rejection raises SQLSTATE
-- XW400 with the code as message and JSON as detail.
--
-- Locks: the treasury, then the positions in the order of currencies.
CREATE FUNCTION move_treasury(p_movement uuid, p_transfer uuid, p_actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    m record;
    b record;
    v_after numeric;
    v_leg record;
BEGIN
    PERFORM lock_treasury();
    SELECT x.kind, x.currency_id, x.amount, x.charge, x.bought_currency_id, x.bought_amount,
           x.closed_amount, x.reference
        INTO STRICT m FROM wallets_treasurymovement x WHERE x.id = p_movement;
    SELECT t.fees, t.own, t.tax INTO b FROM treasury_balances(m.currency_id) t;
    IF m.kind = 'fee_payout' AND m.amount > b.fees THEN
        PERFORM reject_treasury('beyond_fee_income', m.currency_id, b.fees);
    ELSIF m.kind = 'tax_remittance' AND m.amount > b.tax THEN
        PERFORM reject_treasury('beyond_tax_withheld', m.currency_id, b.tax);
    ELSIF m.kind IN ('fee_payout', 'draw_down') AND m.amount + m.charge > b.own
        OR m.kind = 'tax_remittance' AND m.charge > greatest(b.own, 0)
    THEN
        PERFORM reject_treasury('beyond_own_funds', m.currency_id, b.own);
    END IF;
    FOR v_leg IN
        SELECT l.currency, l.amount
        FROM treasury_legs(m.kind, m.currency_id, m.amount, m.charge, m.bought_currency_id,
                           m.bought_amount, m.closed_amount) l
        WHERE l.account = 'position' ORDER BY l.currency
    LOOP
        v_after := move_position(v_leg.currency, v_leg.amount);
        -- The sold currency stays long or is at zero, the bought one stays short or is.
        IF v_after * sign(v_leg.amount) > 0 THEN
            PERFORM reject_treasury('beyond_position', v_leg.currency, v_after - v_leg.amount);
        END IF;
    END LOOP;
    PERFORM post_transfers(
        ARRAY[p_transfer], ARRAY['treasury'], ARRAY['treasury:' || p_movement],
        ARRAY[p_movement], ARRAY[p_actor], ARRAY[m.reference], array_agg(p_transfer),
        array_agg(open_account(new_id(), l.currency, l.account, NULL, NULL)), array_agg(l.amount))
        FROM treasury_legs(m.kind, m.currency_id, m.amount, m.charge, m.bought_currency_id,
                           m.bought_amount, m.closed_amount) l;
END $$;
REVOKE ALL ON FUNCTION move_treasury FROM PUBLIC;
GRANT EXECUTE ON FUNCTION move_treasury TO exchange_runtime;

CREATE FUNCTION reject_treasury(p_code text, p_currency text, p_held numeric) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', p_code USING ERRCODE = 'XW400',
        DETAIL = json_build_object('currency', p_currency, 'held', trim_scale(p_held))::text;
END $$;
