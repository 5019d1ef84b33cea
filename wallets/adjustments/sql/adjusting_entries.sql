-- Guards of adjusting entries, their legs, the record that justifies their transfer, and its posting.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_adjustingentry
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'adjusting_entry', 'proposed_by_id', 'Pending', 'Approved', 'reason,approval_reason');
REVOKE DELETE ON wallets_adjustingentry FROM exchange_runtime;
SELECT audit_table('wallets_adjustingentry', about => 'settles_id');

SELECT set_transfer_rule('adjustment', '{clearing,expenses,fees,treasury}',
    '{clearing,expenses,fees,treasury}', 'adjustment:{id}', 'wallets_adjustingentry',
    '{Approved}', false, 'public.adjustment_fits(NEW)');

-- An entry books a variance that two people explained and that was still there, in its currency and
-- direction; all entries of a break that are not rejected book at most its amount.
CREATE FUNCTION adjustment_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    b record;
    v_left numeric;
BEGIN
    SELECT x.kind, x.status, x.in_latest_report, x.currency_id, x.difference INTO b
        FROM public.wallets_reconciliationbreak x WHERE x.id = NEW.settles_id FOR NO KEY UPDATE;
    v_left := abs(b.difference) - coalesce((
        SELECT sum(e.amount) FROM public.wallets_adjustingentry e
        WHERE e.settles_id = NEW.settles_id AND e.status <> 'Rejected'), 0);
    IF (b.kind = 'Unexplained variance' AND b.status = 'Closed' AND b.in_latest_report
            AND b.currency_id = NEW.currency_id
            AND (b.difference < 0) = (NEW.direction = 'less') AND NEW.amount <= v_left) IS NOT TRUE
    THEN
        RAISE EXCEPTION 'break % cannot be settled by this entry', NEW.settles_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'adjustment_settles_break';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER settles_guard BEFORE INSERT ON wallets_adjustingentry
    FOR EACH ROW WHEN (NEW.settles_id IS NOT NULL) EXECUTE FUNCTION adjustment_guard();

-- The two legs. What the provider holds less, clearing owes less, and the account bears.
CREATE FUNCTION adjusting_legs(p_account text, p_direction text, p_amount numeric)
RETURNS TABLE (account text, amount numeric) LANGUAGE sql IMMUTABLE AS $$
    SELECT l.account, CASE p_direction WHEN 'less' THEN l.amount WHEN 'more' THEN - l.amount END
    FROM (VALUES ('clearing', p_amount), (p_account, - p_amount)) l (account, amount)
$$;

-- Whether an approved entry justifies a transfer: exactly its legs.
CREATE FUNCTION adjustment_fits(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT count(*) = 2 AND bool_and((
                e.fits AND e.asset_id = x.currency_id AND e.amount = l.amount) IS TRUE)
        FROM public.wallets_adjustingentry x
        CROSS JOIN LATERAL (
            SELECT t.kind, t.asset_id, t.amount, t.fits
            FROM public.transfer_legs(posted, x.status) t
        ) e
        LEFT JOIN LATERAL public.adjusting_legs(x.account, x.direction, x.amount) l
            ON l.account = e.kind
        WHERE x.id = posted.subject_id AND x.decided_by_id <> x.proposed_by_id);
END $$;

-- Posts the transfer of an approved entry, in the transaction that approves it. It changes the exchange's
-- own money, so it waits for movements of the treasury.
CREATE FUNCTION post_adjustment(p_entry uuid, p_transfer uuid, p_actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    x record;
BEGIN
    PERFORM lock_treasury();
    SELECT e.currency_id, e.account, e.direction, e.amount, e.note INTO STRICT x
        FROM wallets_adjustingentry e WHERE e.id = p_entry;
    PERFORM post_transfers(
        ARRAY[p_transfer], ARRAY['adjustment'], ARRAY['adjustment:' || p_entry], ARRAY[p_entry],
        ARRAY[p_actor], ARRAY[x.note], array_agg(p_transfer),
        array_agg(open_account(new_id(), x.currency_id, l.account, NULL, NULL)),
        array_agg(l.amount))
        FROM adjusting_legs(x.account, x.direction, x.amount) l;
END $$;
REVOKE ALL ON FUNCTION post_adjustment FROM PUBLIC;
GRANT EXECUTE ON FUNCTION post_adjustment TO exchange_runtime;
