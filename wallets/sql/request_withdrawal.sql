-- One call for the whole of a withdrawal request that needs the lock: claim the idempotency key,
-- lock the wallet, check balance, minimum and fee in the decided order, move available -> escrow,
-- write bank record, request and outbox event, keep the answer.
--
-- A refusal raises SQLSTATE XW400 with the code as its message and JSON as its detail, so nothing
-- of it stays. Without an idempotency key `p_key` is NULL. The new ids come from the caller:
-- p_ids = withdrawal, bank record, transfer, two entries, event, available and escrow account.
CREATE OR REPLACE FUNCTION request_withdrawal(
    p_ids uuid[], p_organisation uuid, p_member uuid, p_currency text, p_amount numeric,
    p_reference text, p_bank_name text, p_bank_code text, p_provider_bank_id bigint,
    p_account_number text, p_account_name text, p_given_name text, p_name_resolved boolean,
    p_corridor text[], p_actor text,
    p_method text, p_path text, p_key text, p_body_hash text, p_wait_ms integer, p_kept interval,
    p_status_code integer, p_message text,
    OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    v_owner uuid := coalesce(p_member, p_organisation);
    v_available uuid;
    v_escrow uuid;
    v_account record;
    v_balance numeric;
    v_escrowed numeric;
    v_minimum numeric;
    v_fee numeric;
    v_rate numeric;
    v_second numeric;
    v_internal numeric;
    v_bank text;
    v_request text;
BEGIN
    replayed := false;
    IF p_key IS NOT NULL THEN
        SELECT c.status_code, c.message, c.data INTO status_code, message, data
            FROM claim_idempotency_key(
                p_organisation, p_method, p_path, p_key, p_body_hash, p_wait_ms, p_kept) c;
        IF status_code IS NOT NULL THEN
            replayed := true;
            RETURN;
        END IF;
    END IF;
    IF p_member IS NOT NULL AND NOT EXISTS (
        SELECT FROM exchange_member WHERE id = p_member AND organisation_id = p_organisation
    ) THEN
        RAISE EXCEPTION 'user_not_found' USING ERRCODE = 'XW400', DETAIL = '{}';
    END IF;

    -- Both accounts in one statement, locked in the order of their ids.
    FOR v_account IN
        SELECT id, kind FROM wallets_account
        WHERE owner_id = v_owner AND asset_id = p_currency AND kind IN ('available', 'escrow')
        ORDER BY id FOR NO KEY UPDATE
    LOOP
        IF v_account.kind = 'available' THEN
            v_available := v_account.id;
        ELSE
            v_escrow := v_account.id;
        END IF;
    END LOOP;
    -- Zero is never above a balance, so without an account too it is the minimum that refuses it.
    IF v_available IS NULL AND p_amount > 0 THEN
        RAISE EXCEPTION 'insufficient_balance'
            USING ERRCODE = 'XW400', DETAIL = '{"available":0}';
    END IF;
    IF v_escrow IS NULL THEN
        v_escrow := open_account(p_ids[8], p_currency, 'escrow', p_organisation, p_member);
    END IF;
    UPDATE wallets_account SET balance = balance - p_amount
        WHERE id = v_available AND balance >= p_amount RETURNING balance INTO v_balance;
    IF NOT FOUND AND p_amount > 0 THEN
        RAISE EXCEPTION 'insufficient_balance' USING ERRCODE = 'XW400', DETAIL = (
            SELECT format('{"available":%s}', trim_scale(balance))
            FROM wallets_account WHERE id = v_available);
    END IF;

    SELECT max(value) FILTER (WHERE key = 'MINIMUM_WITHDRAWAL_' || p_currency),
           coalesce(max(value) FILTER (WHERE key = p_currency || '_WITHDRAWAL_FEE'), 0),
           max(value) FILTER (WHERE key = p_currency || '_USD_RATE' AND value > 0),
           max(value) FILTER (WHERE key = 'SECOND_APPROVAL_ABOVE_' || p_currency),
           coalesce(max(value) FILTER (WHERE key = p_currency || '_INTERNAL_FEE'), 0)
        INTO v_minimum, v_fee, v_rate, v_second, v_internal
        FROM wallets_configuration
        WHERE key IN ('MINIMUM_WITHDRAWAL_' || p_currency, p_currency || '_WITHDRAWAL_FEE',
                      p_currency || '_USD_RATE', 'SECOND_APPROVAL_ABOVE_' || p_currency,
                      p_currency || '_INTERNAL_FEE');
    IF p_amount < greatest(coalesce(v_minimum, 1), 1) THEN
        RAISE EXCEPTION 'below_minimum' USING ERRCODE = 'XW400',
            DETAIL = format('{"minimum":%s}', trim_scale(greatest(coalesce(v_minimum, 1), 1)));
    END IF;
    IF p_amount <= v_fee THEN
        RAISE EXCEPTION 'fee_exceeds_amount' USING ERRCODE = 'XW400',
            DETAIL = format('{"fee":%s}', trim_scale(v_fee));
    END IF;

    UPDATE wallets_account SET balance = balance + p_amount
        WHERE id = v_escrow RETURNING balance INTO v_escrowed;
    INSERT INTO wallets_transfer
        (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
    VALUES (p_ids[3], 'withdrawal_hold', 'withdrawal:' || p_ids[1] || ':hold', p_ids[1], p_actor,
            p_reference, now(), 0);
    INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount, balance_after)
    VALUES (p_ids[4], p_ids[3], v_available, p_currency, -p_amount, v_balance),
           (p_ids[5], p_ids[3], v_escrow, p_currency, p_amount, v_escrowed);
    INSERT INTO wallets_bankaccount
        (id, organisation_id, name, code, provider_bank_id, account_number, account_name,
         given_name, name_resolved, currency_id, branch_code, recipient_first_name,
         recipient_last_name, recipient_email, recipient_phone, recipient_address, created_at)
    VALUES (p_ids[2], p_organisation, p_bank_name, p_bank_code, p_provider_bank_id,
            p_account_number, p_account_name, p_given_name, p_name_resolved, p_currency,
            p_corridor[1], p_corridor[2], p_corridor[3], p_corridor[4], p_corridor[5],
            p_corridor[6], now())
    RETURNING document INTO v_bank;
    INSERT INTO wallets_withdrawal
        (id, organisation_id, member_id, reference, currency_id, amount, fee, disburse_amount,
         gusd_amount, internal_fee, internal_fee_type, escrow_account_id, bank_id, status, version, requested_by,
         approvals_needed, actioned_by, reason, created_at, updated_at)
    VALUES (p_ids[1], p_organisation, p_member, p_reference, p_currency, p_amount, v_fee,
            p_amount - v_fee, round_half_even(p_amount / v_rate, 2), v_internal,
            CASE WHEN v_internal > 0 THEN 'FLAT' ELSE 'NONE' END, v_escrow, p_ids[2], 'Pending', 1, p_actor,
            CASE WHEN p_amount >= v_second THEN 2 ELSE 1 END, '', '', now(), now())
    RETURNING document INTO v_request;
    PERFORM emit_withdrawal_event(p_ids[6], p_ids[1], 'withdrawal.created');

    status_code := p_status_code;
    message := p_message;
    data := '{"withdrawalRequest":' || v_request || ',"bank":' || v_bank || '}';
    IF p_key IS NOT NULL THEN
        PERFORM store_idempotent_answer(
            p_organisation, p_method, p_path, p_key, status_code, message, data);
    END IF;
END $$;
REVOKE ALL ON FUNCTION request_withdrawal FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_withdrawal TO exchange_runtime;
