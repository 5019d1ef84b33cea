-- Moves the amounts of withdrawal orders from available to escrow and writes all that belongs to
-- it: transfers, bank records, requests, outbox events. One order or many, set by set.
--
-- An order is done, or not touched and not given back: member or account not there, or refused by
-- `find_withdrawal_rejection`. Why, `reject_withdrawal` says. Of several orders on one wallet, each of which
-- it could pay for by itself, those are done, in the order of their ids, that it can pay for until one
-- of them is too much.
--
-- `withdrawal_order` is `wallets.withdrawals.commands.RequestWithdrawal`.
CREATE TYPE withdrawal_hold AS (
    o withdrawal_order, available uuid, escrow uuid, available_after numeric,
    event_user text, fee numeric, usd_rate numeric, second_approval numeric,
    internal_fee numeric
);

-- Tables are reached by their keys, however few rows they have: plans are made once.
CREATE FUNCTION hold_withdrawals(p_orders withdrawal_order[])
RETURNS TABLE (done uuid, answer text) LANGUAGE plpgsql
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_accounts uuid[];
    v_held withdrawal_hold[];
    v_done uuid[];
    v_events uuid[];
    v_organisations uuid[];
    v_types text[];
    v_data text[];
    v_answers text[];
BEGIN
    v_accounts := ARRAY(
        SELECT a.id FROM unnest(p_orders) o CROSS JOIN LATERAL (
            SELECT id FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind IN ('available', 'escrow')
            OFFSET 0
        ) a);
    -- Always in the order of ids, so that no two transactions wait for each other.
    PERFORM 1 FROM wallets_account WHERE id = ANY (v_accounts) ORDER BY id FOR NO KEY UPDATE;

    SELECT array_agg(h ORDER BY (h.o).withdrawal) INTO v_held FROM (
        SELECT o, a.id, e.id,
               a.balance - sum(o.amount) OVER of_wallet AS available_after,
               u.event_user, f.fee, f.usd_rate, f.second_approval, f.internal_fee
        FROM unnest(p_orders) o
        CROSS JOIN LATERAL (
            SELECT withdrawal_event_user(o.member, o.organisation) AS event_user OFFSET 0
        ) u
        -- Only what was locked above: an account opened since is for the next call.
        CROSS JOIN LATERAL (
            SELECT id, balance FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind = 'available' AND id = ANY (v_accounts)
            OFFSET 0
        ) a
        CROSS JOIN LATERAL (
            SELECT id, balance FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind = 'escrow' AND id = ANY (v_accounts)
            OFFSET 0
        ) e
        JOIN (
            SELECT c.currency, g.minimum, g.fee, g.usd_rate, g.second_approval, g.internal_fee
            FROM (SELECT DISTINCT currency FROM unnest(p_orders)) c
            CROSS JOIN LATERAL withdrawal_settings(c.currency) g
        ) f ON f.currency = o.currency
        -- All that keeps an order out is here: the running sums count the others only.
        WHERE find_withdrawal_rejection(o.amount, a.balance, f.minimum, f.fee) IS NULL
            AND o.amount = round(o.amount, 8)
            AND (o.member IS NULL OR u.event_user IS NOT NULL)
        WINDOW of_wallet AS (PARTITION BY a.id ORDER BY o.withdrawal)
    ) h
    WHERE h.available_after >= 0;
    IF v_held IS NULL THEN
        RETURN;
    END IF;

    PERFORM post_transfers(
        array_agg((h.o).transfer) FILTER (WHERE l.n = 1),
        array_agg('withdrawal_hold'::text) FILTER (WHERE l.n = 1),
        array_agg('withdrawal:' || (h.o).withdrawal || ':hold') FILTER (WHERE l.n = 1),
        array_agg((h.o).withdrawal) FILTER (WHERE l.n = 1),
        array_agg((h.o).actor) FILTER (WHERE l.n = 1),
        array_agg((h.o).reference) FILTER (WHERE l.n = 1),
        array_agg((h.o).transfer), array_agg(l.account), array_agg(l.amount))
    FROM unnest(v_held) h
    CROSS JOIN LATERAL (
        VALUES (1, h.available, -(h.o).amount), (2, h.escrow, (h.o).amount)
    ) l (n, account, amount);

    WITH bank AS (
        INSERT INTO wallets_bankaccount
            (id, organisation_id, name, code, provider_bank_id, account_number, account_name,
             given_name, name_resolved, currency_id, branch_code, recipient_first_name,
             recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at)
        SELECT (o).bank, (o).organisation, (o).bank_name, (o).bank_code, (o).provider_bank_id,
               (o).account_number, (o).account_name, (o).given_name, (o).name_resolved,
               (o).currency, (o).branch_code, (o).recipient_first_name, (o).recipient_last_name,
               (o).recipient_email, (o).recipient_phone, (o).recipient_address, now()
        FROM unnest(v_held)
        RETURNING id, document
    ), request AS (
        INSERT INTO wallets_withdrawal
            (id, organisation_id, member_id, reference, currency_id, amount, fee, disburse_amount,
             gusd_amount, internal_fee, internal_fee_type, escrow_account_id, bank_id, status,
             version, requested_by, approvals_needed, actioned_by, reason, created_at, updated_at)
        SELECT (o).withdrawal, (o).organisation, (o).member, (o).reference, (o).currency,
               (o).amount, fee, (o).amount - fee, round_half_even((o).amount / usd_rate, 2),
               internal_fee, CASE WHEN internal_fee > 0 THEN 'FLAT' ELSE 'NONE' END, escrow,
               (o).bank, 'Pending', 1, (o).actor,
               CASE WHEN (o).amount >= second_approval THEN 2 ELSE 1 END, '', '', now(), now()
        FROM unnest(v_held)
        RETURNING id, bank_id, document
    ), written AS (
        SELECT h.o, h.event_user, r.document AS request, b.document AS bank
        FROM unnest(v_held) h
        JOIN request r ON r.id = (h.o).withdrawal
        JOIN bank b ON b.id = r.bank_id
    )
    SELECT array_agg((o).withdrawal), array_agg((o).event), array_agg((o).organisation),
           array_agg('withdrawal.created'::text),
           array_agg(withdrawal_event_data(request, NULL, bank, event_user)),
           array_agg('{"withdrawalRequest":' || request || ',"bank":' || bank || '}')
        INTO v_done, v_events, v_organisations, v_types, v_data, v_answers
        FROM written;
    PERFORM emit_events(v_events, v_organisations, v_types, v_done, v_data);
    RETURN QUERY SELECT w.id, w.answer FROM unnest(v_done, v_answers) w (id, answer);
END $$;
REVOKE ALL ON FUNCTION hold_withdrawals FROM PUBLIC;
