-- One call for the whole of a withdrawal request that needs the lock: claim the idempotency key,
-- lock the wallet, check member, balance, minimum and fee in the decided order, move available ->
-- escrow, write bank record, request and outbox event, keep the answer.
--
-- `p_order` is the JSON form of `withdrawal_order`. A refusal raises SQLSTATE XW400 with the code
-- as its message and JSON as its detail, so nothing of it stays. Without an idempotency key
-- `p_key` is NULL.
CREATE TYPE withdrawal_order AS (
    -- Ids made by the caller.
    withdrawal uuid, bank uuid, transfer uuid, entry_out uuid, entry_in uuid, event uuid,
    new_escrow uuid,
    -- What is asked for.
    organisation uuid, member uuid, currency text, amount numeric, reference text,
    bank_name text, bank_code text, provider_bank_id bigint, account_number text,
    account_name text, given_name text, name_resolved boolean, branch_code text,
    recipient_first_name text, recipient_last_name text, recipient_email text,
    recipient_phone text, recipient_address text, actor text
);

CREATE OR REPLACE FUNCTION request_withdrawal(
    p_order jsonb,
    p_method text, p_path text, p_key text, p_body_hash text, p_wait_ms integer, p_kept interval,
    p_status_code integer, p_message text,
    OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    o withdrawal_order := jsonb_populate_record(NULL::withdrawal_order, p_order);
    v_account record;
    v_figures record;
    v_member text;
    v_available uuid;
    v_escrow uuid;
    v_balance numeric := 0;
    v_escrowed numeric := 0;
    v_bank text;
    v_request text;
BEGIN
    replayed := false;
    IF p_key IS NOT NULL THEN
        SELECT c.status_code, c.message, c.data INTO status_code, message, data
            FROM claim_idempotency_key(
                o.organisation, p_method, p_path, p_key, p_body_hash, p_wait_ms, p_kept) c;
        IF status_code IS NOT NULL THEN
            replayed := true;
            RETURN;
        END IF;
    END IF;
    IF o.member IS NOT NULL THEN
        v_member := withdrawal_event_user(o.member, o.organisation);
        IF v_member IS NULL THEN
            RAISE EXCEPTION 'user_not_found' USING ERRCODE = 'XW400', DETAIL = '{}';
        END IF;
    END IF;

    -- Both accounts in one statement, locked in the order of their ids.
    FOR v_account IN
        SELECT id, kind, balance FROM wallets_account
        WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
            AND kind IN ('available', 'escrow')
        ORDER BY id FOR NO KEY UPDATE
    LOOP
        IF v_account.kind = 'available' THEN
            v_available := v_account.id;
            v_balance := v_account.balance;
        ELSE
            v_escrow := v_account.id;
            v_escrowed := v_account.balance;
        END IF;
    END LOOP;
    -- Without an account the balance is zero; zero is never above it, so it is the minimum that
    -- refuses a request for nothing.
    IF v_balance < o.amount THEN
        RAISE EXCEPTION 'insufficient_balance' USING ERRCODE = 'XW400',
            DETAIL = format('{"available":%s}', trim_scale(v_balance));
    END IF;
    v_figures := withdrawal_figures(o.currency);
    IF o.amount < v_figures.minimum THEN
        RAISE EXCEPTION 'below_minimum' USING ERRCODE = 'XW400',
            DETAIL = format('{"minimum":%s}', trim_scale(v_figures.minimum));
    END IF;
    IF o.amount <= v_figures.fee THEN
        RAISE EXCEPTION 'fee_exceeds_amount' USING ERRCODE = 'XW400',
            DETAIL = format('{"fee":%s}', trim_scale(v_figures.fee));
    END IF;
    IF v_escrow IS NULL THEN
        v_escrow := open_account(o.new_escrow, o.currency, 'escrow', o.organisation, o.member);
    END IF;

    UPDATE wallets_account SET balance = balance - o.amount
        WHERE id = v_available RETURNING balance INTO v_balance;
    UPDATE wallets_account SET balance = balance + o.amount
        WHERE id = v_escrow RETURNING balance INTO v_escrowed;
    INSERT INTO wallets_transfer
        (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
    VALUES (o.transfer, 'withdrawal_hold', 'withdrawal:' || o.withdrawal || ':hold', o.withdrawal,
            o.actor, o.reference, now(), 0);
    INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount, balance_after)
    VALUES (o.entry_out, o.transfer, v_available, o.currency, -o.amount, v_balance),
           (o.entry_in, o.transfer, v_escrow, o.currency, o.amount, v_escrowed);
    INSERT INTO wallets_bankaccount
        (id, organisation_id, name, code, provider_bank_id, account_number, account_name,
         given_name, name_resolved, currency_id, branch_code, recipient_first_name,
         recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at)
    VALUES (o.bank, o.organisation, o.bank_name, o.bank_code, o.provider_bank_id,
            o.account_number, o.account_name, o.given_name, o.name_resolved, o.currency,
            o.branch_code, o.recipient_first_name, o.recipient_last_name, o.recipient_email,
            o.recipient_phone, o.recipient_address, now())
    RETURNING document INTO v_bank;
    INSERT INTO wallets_withdrawal
        (id, organisation_id, member_id, reference, currency_id, amount, fee, disburse_amount,
         gusd_amount, internal_fee, internal_fee_type, escrow_account_id, bank_id, status,
         version, requested_by, approvals_needed, actioned_by, reason, created_at, updated_at)
    VALUES (o.withdrawal, o.organisation, o.member, o.reference, o.currency, o.amount,
            v_figures.fee, o.amount - v_figures.fee,
            round_half_even(o.amount / v_figures.usd_rate, 2), v_figures.internal_fee,
            CASE WHEN v_figures.internal_fee > 0 THEN 'FLAT' ELSE 'NONE' END, v_escrow, o.bank,
            'Pending', 1, o.actor,
            CASE WHEN o.amount >= v_figures.second_approval THEN 2 ELSE 1 END, '', '', now(),
            now())
    RETURNING document INTO v_request;
    PERFORM emit_event(
        o.event, o.organisation, 'withdrawal.created', o.withdrawal,
        withdrawal_event_data(v_request, NULL, v_bank, v_member));

    status_code := p_status_code;
    message := p_message;
    data := '{"withdrawalRequest":' || v_request || ',"bank":' || v_bank || '}';
    IF p_key IS NOT NULL THEN
        PERFORM store_idempotent_answer(
            o.organisation, p_method, p_path, p_key, status_code, message, data);
    END IF;
END $$;
REVOKE ALL ON FUNCTION request_withdrawal FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_withdrawal TO exchange_runtime;
