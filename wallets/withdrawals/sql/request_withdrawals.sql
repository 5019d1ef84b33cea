-- Moves the amounts of withdrawal orders from available to escrow and writes their transfers, bank
-- records, requests and outbox events, in one set-based pass. `request_withdrawals` calls it with the
-- requests whose idempotency keys are new (`exchange.core.commands`).
--
-- An order is executed and returned, or skipped: member or account missing, or rejected by
-- `find_withdrawal_rejection`. Of several orders on one wallet, those are executed, by id, that the balance
-- covers up to the first it does not.
--
-- `withdrawal_order` is `wallets.withdrawals.commands.RequestWithdrawal`.
CREATE TYPE withdrawal_hold AS (
    o withdrawal_order, available uuid, escrow uuid, available_after numeric,
    event_user text, fee numeric, usd_rate numeric, second_approval numeric,
    internal_fee numeric
);

-- Plans are made once, so force access by key whatever the number of rows.
CREATE FUNCTION request_withdrawals_execute(p_orders withdrawal_order[])
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
    PERFORM lock_owners(ARRAY(SELECT coalesce(o.member, o.organisation) FROM unnest(p_orders) o));
    v_accounts := ARRAY(
        SELECT a.id FROM unnest(p_orders) o CROSS JOIN LATERAL (
            SELECT id FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind IN ('available', 'escrow')
            OFFSET 0
        ) a);
    -- Lock in the order of ids to avoid deadlocks.
    PERFORM 1 FROM wallets_account WHERE id = ANY (v_accounts) ORDER BY id FOR NO KEY UPDATE;

    SELECT array_agg(h ORDER BY (h.o).withdrawal) INTO v_held FROM (
        SELECT o, a.id, e.id,
               a.balance - sum(o.amount) OVER of_wallet AS available_after,
               u.event_user, f.fee, f.usd_rate, f.second_approval, f.internal_fee
        FROM unnest(p_orders) o
        CROSS JOIN LATERAL (
            SELECT member_json(o.member, o.organisation) AS event_user OFFSET 0
        ) u
        -- Only accounts locked above; one opened since is left to the next call.
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
        -- All exclusions are here, so that the running sums count only the remaining orders.
        WHERE find_withdrawal_rejection(
                o.amount, a.balance,
                o.client_reference IS NOT NULL AND EXISTS (
                    SELECT FROM wallets_withdrawal w
                    WHERE w.organisation_id = o.organisation
                        AND w.client_reference = o.client_reference),
                owner_block(o.organisation, o.member, o.currency), f.minimum, f.fee) IS NULL
            AND o.amount = round(o.amount, 8)
            AND (o.member IS NULL OR u.event_user IS NOT NULL)
            AND NOT verification_missing(o.organisation, o.member)
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
             provided_name, name_resolved, currency_id, branch_code, recipient_first_name,
             recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at)
        SELECT (o).bank, (o).organisation, (o).bank_name, (o).bank_code, (o).provider_bank_id,
               (o).account_number, (o).account_name, (o).provided_name, (o).name_resolved,
               (o).currency, (o).branch_code, (o).recipient_first_name, (o).recipient_last_name,
               (o).recipient_email, (o).recipient_phone, (o).recipient_address, now()
        FROM unnest(v_held)
        RETURNING id, document
    ), request AS (
        INSERT INTO wallets_withdrawal
            (id, organisation_id, member_id, reference, currency_id, amount, fee, disburse_amount,
             gusd_amount, internal_fee, internal_fee_type, escrow_account_id, bank_id, status,
             version, requested_by, approvals_needed, actioned_by, reason, created_at, updated_at,
             client_reference, metadata)
        SELECT (o).withdrawal, (o).organisation, (o).member, (o).reference, (o).currency,
               (o).amount, fee, (o).amount - fee, round_half_even((o).amount / usd_rate, 2),
               internal_fee, CASE WHEN internal_fee > 0 THEN 'FLAT' ELSE 'NONE' END, escrow,
               (o).bank, 'Pending', 1, (o).actor,
               CASE WHEN (o).amount >= second_approval THEN 2 ELSE 1 END, '', '', now(), now(),
               (o).client_reference, (o).metadata
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
REVOKE ALL ON FUNCTION request_withdrawals_execute FROM PUBLIC;
