-- Rules of posting: for each kind of transfer, the accounts that money may leave and enter, and the
-- record and state that justify it. Checked at commit, because a record may be written, or reach its
-- state, after its money moved. The rules bind every writer, functions of the owner included.
--
-- The rules of orders and credit, and the functions that check their transfers, are in the files of
-- this name in those apps.
REVOKE ALL ON wallets_transferrule FROM exchange_runtime;
GRANT SELECT ON wallets_transferrule TO exchange_runtime;
SELECT audit_table('wallets_transferrule', record => 'kind', inserts => NULL);

CREATE FUNCTION set_transfer_rule(
    p_kind text, p_leaves text[], p_enters text[], p_reference text, p_record text,
    p_states text[], p_by_service boolean
) RETURNS void LANGUAGE sql AS $$
    INSERT INTO public.wallets_transferrule AS r
        (kind, leaves, enters, reference, record, states, by_service)
    VALUES (p_kind, p_leaves, p_enters, p_reference, p_record, p_states, p_by_service)
    ON CONFLICT (kind) DO UPDATE SET leaves = excluded.leaves, enters = excluded.enters,
        reference = excluded.reference, record = excluded.record, states = excluded.states,
        by_service = excluded.by_service
    WHERE (r.leaves, r.enters, r.reference, r.record, r.states, r.by_service)
        IS DISTINCT FROM (excluded.leaves, excluded.enters, excluded.reference, excluded.record,
                          excluded.states, excluded.by_service)
$$;
REVOKE ALL ON FUNCTION set_transfer_rule FROM PUBLIC;

SELECT set_transfer_rule('withdrawal_hold', '{available}', '{escrow}', 'withdrawal:{id}:hold',
    'wallets_withdrawal', '{}', false);
SELECT set_transfer_rule('withdrawal_settle', '{escrow}', '{clearing,fees}',
    'withdrawal:{id}:close', 'wallets_withdrawal', '{Completed,Reversed}', true);
SELECT set_transfer_rule('withdrawal_release', '{escrow}', '{available}',
    'withdrawal:{id}:close', 'wallets_withdrawal', '{Rejected,Cancelled,Failed}', true);
SELECT set_transfer_rule('withdrawal_reverse', '{clearing}', '{available}',
    'withdrawal:{id}:reverse', 'wallets_withdrawal', '{Reversed}', true);
SELECT set_transfer_rule('provider_charge', '{expenses}', '{clearing}', 'withdrawal:{id}:charge',
    'wallets_withdrawal', '{Completed,Reversed}', true);
SELECT set_transfer_rule('units_issue', '{issuance}', '{unsold,available}', 'token:{id}:issue',
    'exchange_token', '{}', true);
SELECT set_transfer_rule('units_retire', '{unsold}', '{issuance}', 'token:{id}:retire',
    'exchange_token', '{cancelled}', true);

CREATE TYPE transfer_leg AS (
    kind text, owner_id uuid, balance numeric, asset_id text, amount numeric, fits boolean
);

-- The legs of a transfer with their accounts; none where its kind has no rule. `fits`: the rule allows
-- such an account, the reference is that of the record, and the rule lists `p_state`, the record's
-- state.
--
-- The planner inlines the query. OFFSET 0 keeps it from reading all entries of an account.
CREATE FUNCTION transfer_legs(t wallets_transfer, p_state text)
RETURNS SETOF transfer_leg LANGUAGE sql STABLE AS $$
    SELECT a.kind::text, a.owner_id, a.balance, e.asset_id::text, e.amount,
           a.kind = ANY (CASE WHEN e.amount < 0 THEN r.leaves ELSE r.enters END)
               AND t.reference LIKE replace(r.reference, '{id}', t.subject_id::text)
               AND (r.states = '{}' OR p_state = ANY (r.states))
    FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
          WHERE transfer_id = t.id OFFSET 0) e
    JOIN public.wallets_account a ON a.id = e.account_id
    JOIN public.wallets_transferrule r ON r.kind = t.kind
$$;

-- Whether a record justifies a transfer other than of orders or credit; false for kinds without a rule.
CREATE FUNCTION wallet_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_justified boolean;
BEGIN
    IF posted.kind = 'withdrawal_hold' THEN
        -- The most frequent kind, so its rule is written out.
        SELECT bool_and((
                posted.reference = 'withdrawal:' || w.id || ':hold'
                AND e.asset_id = w.currency_id
                AND a.owner_id = w.owner_id
                AND e.amount = CASE a.kind WHEN 'available' THEN - w.amount
                                           WHEN 'escrow' THEN w.amount END) IS TRUE)
            INTO v_justified
            FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
                  WHERE transfer_id = posted.id OFFSET 0) e
            JOIN public.wallets_account a ON a.id = e.account_id
            JOIN public.wallets_withdrawal w ON w.id = posted.subject_id;
    ELSIF posted.kind LIKE 'withdrawal%' OR posted.kind = 'provider_charge' THEN
        SELECT bool_and((
                e.fits
                AND e.asset_id = w.currency_id
                AND (e.owner_id = w.owner_id OR e.owner_id IS NULL)
                AND abs(e.amount) = CASE
                    WHEN posted.kind = 'provider_charge' THEN (
                        SELECT p.provider_fee FROM public.wallets_payout p
                        WHERE p.withdrawal_id = w.id)
                    WHEN e.kind = 'fees' THEN w.fee
                    WHEN posted.kind = 'withdrawal_reverse' OR e.kind = 'clearing'
                        THEN w.disburse_amount
                    ELSE w.amount END
                AND (posted.kind <> 'withdrawal_reverse' OR EXISTS (
                    SELECT FROM public.wallets_proposal p
                    WHERE p.withdrawal_id = w.id AND p.action = 'Reverse'
                        AND p.status = 'Confirmed' AND p.decided_by_id <> p.proposed_by_id))) IS TRUE)
            INTO v_justified
            FROM public.wallets_withdrawal w, public.transfer_legs(posted, w.status) e
            WHERE w.id = posted.subject_id;
    ELSE
        SELECT bool_and((
                e.fits
                AND e.asset_id = t.id::text
                AND (e.owner_id = t.issuer_id OR e.owner_id IS NULL)
                AND (posted.kind <> 'units_issue' OR e.amount > 0 OR e.amount = - t.total_supply)) IS TRUE)
            INTO v_justified
            FROM public.exchange_token t,
                 public.transfer_legs(posted, CASE WHEN t.cancelled THEN 'cancelled' END) e
            WHERE t.id = posted.subject_id;
    END IF;
    RETURN v_justified;
END $$;

-- Planned once: planning takes longer than the query. One trigger for all kinds: separate conditions
-- would be evaluated by every statement that writes a transfer.
CREATE FUNCTION transfer_justified() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_justified boolean;
BEGIN
    -- Posted by `enter_orders` only, in one call with their record: only its existence is checked here,
    -- the rest by the proof of books. The full check would take a tenth of the time of an order
    -- (decision 23).
    IF NEW.kind = 'order_reserve' THEN
        v_justified := EXISTS (SELECT FROM public.orders_order WHERE id = NEW.subject_id);
    ELSIF NEW.kind = 'trade' THEN
        v_justified := EXISTS (SELECT FROM public.orders_trade WHERE id = NEW.subject_id);
    ELSIF NEW.kind LIKE ANY ('{order%,raise%}') THEN
        v_justified := public.order_transfer_justified(NEW);
    ELSIF NEW.kind LIKE 'loan%' THEN
        v_justified := public.loan_transfer_justified(NEW);
    ELSIF NEW.kind = 'wallet_transfer' THEN
        v_justified := public.wallet_transfer_fits(NEW);
    ELSIF NEW.kind = 'conversion' THEN
        v_justified := public.conversion_transfer_fits(NEW);
    ELSIF NEW.kind = 'treasury' THEN
        v_justified := public.treasury_transfer_fits(NEW);
    ELSIF NEW.kind = 'receivable_write_off' THEN
        v_justified := public.write_off_justified(NEW);
    ELSIF NEW.kind LIKE ANY ('{deposit%,payment%,receivable%}') THEN
        v_justified := public.deposit_transfer_justified(NEW);
    ELSE
        v_justified := public.wallet_transfer_justified(NEW);
    END IF;
    IF v_justified THEN
        RETURN NULL;
    ELSIF NOT EXISTS (SELECT FROM public.wallets_entry WHERE transfer_id = NEW.id) THEN
        RAISE EXCEPTION 'transfer % has no legs', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
    RAISE EXCEPTION 'no record justifies transfer % (%)', NEW.reference, NEW.kind
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_justified';
END $$;

CREATE CONSTRAINT TRIGGER transfer_justified AFTER INSERT ON wallets_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transfer_justified();
