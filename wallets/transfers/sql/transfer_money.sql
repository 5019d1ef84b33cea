-- Moves the amounts of orders from one wallet of an organisation to another and writes their ledger
-- transfers, records and outbox events, in one set-based pass. `transfer_money` calls it with the orders whose
-- idempotency keys are new (`exchange.core.commands`).
--
-- An order is executed and returned, or skipped: an account is missing, or `find_transfer_rejection`
-- rejects it. Of several orders from one wallet, those are executed, by id, that its balance before them
-- covers up to the first it does not; what orders of the same call bring in does not count.
--
-- `wallet_transfer_order` is `wallets.transfers.commands.TransferMoney`.
CREATE TYPE wallet_transfer_move AS (
    o wallet_transfer_order, payer uuid, payee uuid, debt uuid, owed numeric, before numeric
);

-- Returns the first rule, in the specified order, that rejects an order, or NULL.
CREATE FUNCTION find_transfer_rejection(o wallet_transfer_order, p_balance numeric) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    -- An unknown member comes before a closed one: the greater code.
    v_code text := greatest(public.member_refusal(o.organisation, o.member),
                            public.member_refusal(o.organisation, o.payee));
BEGIN
    IF v_code IS NOT NULL THEN
        RETURN v_code;
    ELSIF coalesce(p_balance, 0) < o.amount THEN
        RETURN 'insufficient_balance';
    ELSIF o.client_reference IS NOT NULL THEN
        IF EXISTS (
            SELECT FROM public.wallets_wallettransfer w
            WHERE w.organisation_id = o.organisation AND w.client_reference = o.client_reference)
        THEN
            RETURN 'client_reference_taken';
        END IF;
    END IF;
    RETURN public.owner_block(o.organisation, o.member, o.currency);
END $$;

-- Plans are made once, so force access by key whatever the number of rows.
CREATE FUNCTION transfer_money_execute(p_orders wallet_transfer_order[])
RETURNS TABLE (done uuid, answer text) LANGUAGE plpgsql
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_accounts uuid[];
    v_moves wallet_transfer_move[];
    v_done uuid[];
    v_events uuid[];
    v_organisations uuid[];
    v_types text[];
    v_data text[];
    v_answers text[];
BEGIN
    PERFORM lock_owners(ARRAY(SELECT coalesce(o.member, o.organisation) FROM unnest(p_orders) o));
    v_accounts := ARRAY(
        SELECT a.id FROM unnest(p_orders) o CROSS JOIN LATERAL (
            SELECT id FROM wallets_account
            WHERE owner_id = ANY (ARRAY[coalesce(o.member, o.organisation),
                                        coalesce(o.payee, o.organisation)])
                AND asset_id = o.currency AND kind IN ('available', 'receivable')
            OFFSET 0
        ) a);
    -- Lock in the order of ids to avoid deadlocks.
    PERFORM 1 FROM wallets_account WHERE id = ANY (v_accounts) ORDER BY id FOR NO KEY UPDATE;

    SELECT array_agg(m ORDER BY (m.o).record) INTO v_moves FROM (
        SELECT x.o, x.payer, x.payee, x.debt, x.owed,
               -- What earlier orders of the call repay of it.
               coalesce(sum((x.o).amount) OVER (
                   PARTITION BY x.payee ORDER BY (x.o).record
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
        FROM (
            SELECT o, a.id AS payer, p.id AS payee, d.id AS debt, coalesce(- d.balance, 0) AS owed,
                   a.balance - sum(o.amount) OVER (
                       PARTITION BY a.id ORDER BY o.record) AS available_after
            FROM unnest(p_orders) o
            -- Only accounts locked above; one opened since is left to the next call.
            CROSS JOIN LATERAL (
                SELECT id, balance FROM wallets_account
                WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                    AND kind = 'available' AND id = ANY (v_accounts)
                OFFSET 0
            ) a
            CROSS JOIN LATERAL (
                SELECT id FROM wallets_account
                WHERE owner_id = coalesce(o.payee, o.organisation) AND asset_id = o.currency
                    AND kind = 'available' AND id = ANY (v_accounts)
                OFFSET 0
            ) p
            LEFT JOIN LATERAL (
                SELECT id, balance FROM wallets_account
                WHERE owner_id = coalesce(o.payee, o.organisation) AND asset_id = o.currency
                    AND kind = 'receivable' AND id = ANY (v_accounts)
                OFFSET 0
            ) d ON true
            -- All exclusions are here, so that the running sums count only the remaining orders.
            WHERE find_transfer_rejection(o, a.balance) IS NULL
        ) x
        WHERE x.available_after >= 0
    ) m;
    IF v_moves IS NULL THEN
        RETURN;
    END IF;

    -- A payee who owes repays first. Legs of zero are skipped.
    PERFORM post_transfers(
        array_agg((m.o).transfer) FILTER (WHERE l.n = 1),
        array_agg('wallet_transfer'::text) FILTER (WHERE l.n = 1),
        array_agg('transfer:' || (m.o).record) FILTER (WHERE l.n = 1),
        array_agg((m.o).record) FILTER (WHERE l.n = 1),
        array_agg((m.o).actor) FILTER (WHERE l.n = 1),
        array_agg(coalesce((m.o).client_reference, '')) FILTER (WHERE l.n = 1),
        array_agg((m.o).transfer), array_agg(l.account), array_agg(l.amount))
    FROM unnest(v_moves) m
    CROSS JOIN LATERAL (
        SELECT greatest(least((m.o).amount, m.owed - m.before), 0) AS repaid
    ) r
    CROSS JOIN LATERAL (
        VALUES (1, m.payer, - (m.o).amount), (2, m.payee, (m.o).amount - r.repaid),
               (3, m.debt, r.repaid)
    ) l (n, account, amount);

    WITH written AS (
        INSERT INTO wallets_wallettransfer
            (id, organisation_id, from_member_id, to_member_id, currency_id, amount, status,
             requested_by, client_reference, metadata, created_at)
        SELECT (o).record, (o).organisation, (o).member, (o).payee, (o).currency, (o).amount,
               'Completed', (o).actor, (o).client_reference, (o).metadata, now()
        FROM unnest(v_moves)
        RETURNING id, organisation_id, document
    )
    SELECT array_agg(w.id), array_agg((m.o).event), array_agg(w.organisation_id),
           array_agg('transfer.completed'::text), array_agg('{"transfer":' || w.document || '}'),
           array_agg(w.document)
        INTO v_done, v_events, v_organisations, v_types, v_data, v_answers
        FROM unnest(v_moves) m JOIN written w ON w.id = (m.o).record;
    PERFORM emit_events(v_events, v_organisations, v_types, v_done, v_data);
    RETURN QUERY SELECT w.id, w.answer FROM unnest(v_done, v_answers) w (id, answer);
END $$;
REVOKE ALL ON FUNCTION transfer_money_execute FROM PUBLIC;

-- Raises the reason why an order cannot be executed: SQLSTATE XW400 with the code as message and JSON as
-- detail. Without one it is the first money of the payee's wallet, which has no account yet.
CREATE FUNCTION transfer_money_reject(o wallet_transfer_order) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    v_balance numeric := (
        SELECT balance FROM wallets_account
        WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
            AND kind = 'available');
    v_code text := find_transfer_rejection(o, v_balance);
BEGIN
    IF v_code IS NOT NULL THEN
        RAISE EXCEPTION '%', v_code USING ERRCODE = 'XW400',
            DETAIL = format('{"available":%s}', trim_scale(coalesce(v_balance, 0)));
    END IF;
    PERFORM open_account(o.new_account, o.currency, 'available', o.organisation, o.payee);
END $$;
REVOKE ALL ON FUNCTION transfer_money_reject FROM PUBLIC;
