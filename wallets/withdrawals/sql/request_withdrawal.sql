-- One call for the whole of a withdrawal request that needs the lock: claim the idempotency key,
-- hold the money and write the request, or say in the decided order why not; keep the answer.
--
-- `p_order` is the JSON form of `withdrawal_order`. A refusal raises SQLSTATE XW400 with the code
-- as its message and JSON as its detail, so nothing of it stays.
CREATE FUNCTION request_withdrawal(
    p_order jsonb, p_wait_ms integer, p_kept interval, p_status_code integer, p_message text,
    OUT replayed boolean, OUT status_code integer, OUT message text, OUT data text
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    o withdrawal_order := jsonb_populate_record(NULL::withdrawal_order, p_order);
BEGIN
    replayed := false;
    IF o.key IS NOT NULL THEN
        SELECT c.status_code, c.message, c.data INTO status_code, message, data
            FROM claim_idempotency_key(
                o.organisation, o.method, o.path, o.key, o.body_hash, p_wait_ms, p_kept) c;
        IF status_code IS NOT NULL THEN
            replayed := true;
            RETURN;
        END IF;
    END IF;
    SELECT h.answer INTO data FROM hold_withdrawals(ARRAY[o]) h;
    IF data IS NULL THEN
        PERFORM refuse_withdrawal(o);
        -- No reason: it is the first one of this wallet.
        PERFORM open_account(o.new_escrow, o.currency, 'escrow', o.organisation, o.member);
        SELECT h.answer INTO STRICT data FROM hold_withdrawals(ARRAY[o]) h;
    END IF;
    status_code := p_status_code;
    message := p_message;
    IF o.key IS NOT NULL THEN
        PERFORM store_idempotent_answer(
            o.organisation, o.method, o.path, o.key, status_code, message, data);
    END IF;
END $$;
REVOKE ALL ON FUNCTION request_withdrawal FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_withdrawal TO exchange_runtime;

-- Raises the first reason, in the decided order, why `o` cannot be done; returns when there is none.
CREATE FUNCTION refuse_withdrawal(o withdrawal_order) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    v_balance numeric;
    v_figures record;
BEGIN
    IF o.member IS NOT NULL AND withdrawal_event_user(o.member, o.organisation) IS NULL THEN
        RAISE EXCEPTION 'user_not_found' USING ERRCODE = 'XW400', DETAIL = '{}';
    END IF;
    -- Without an account the balance is zero; zero is never above it, so it is the minimum that
    -- refuses a request for nothing.
    SELECT balance INTO v_balance FROM wallets_account
        WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
            AND kind = 'available';
    IF coalesce(v_balance, 0) < o.amount THEN
        RAISE EXCEPTION 'insufficient_balance' USING ERRCODE = 'XW400',
            DETAIL = format('{"available":%s}', trim_scale(coalesce(v_balance, 0)));
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
END $$;
REVOKE ALL ON FUNCTION refuse_withdrawal FROM PUBLIC;

-- Requests that arrived at one process at the same moment, in one transaction. Gives those that
-- were done and what each answers. The others were not touched: a key that was seen before, an
-- escrow account to open, a refusal; each of them is for `request_withdrawal`.
CREATE FUNCTION request_withdrawals(
    p_orders jsonb, p_status_code integer, p_message text
) RETURNS TABLE (done uuid, answer text) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_orders withdrawal_order[] := ARRAY(
        SELECT o FROM jsonb_populate_recordset(NULL::withdrawal_order, p_orders) o);
    v_claims idempotency_claim[];
    v_wait text := current_setting('lock_timeout');
    v_done uuid[];
    v_answers text[];
BEGIN
    v_claims := ARRAY(
        SELECT ROW(o.withdrawal, o.organisation, o.method, o.path, o.key, o.body_hash)
                   ::idempotency_claim
        FROM unnest(v_orders) o WHERE o.key IS NOT NULL);
    -- One wallet that is locked for long must not hold up the others: after a second all of them
    -- go one by one.
    PERFORM set_config('lock_timeout', '1s', true);
    IF cardinality(v_claims) > 0 THEN
        v_claims := claim_free_keys(v_claims);
        v_orders := ARRAY(
            SELECT o FROM unnest(v_orders) o
            WHERE o.key IS NULL OR o.withdrawal IN (SELECT c.request FROM unnest(v_claims) c));
    END IF;
    SELECT coalesce(array_agg(h.done), '{}'), coalesce(array_agg(h.answer), '{}')
        INTO v_done, v_answers FROM hold_withdrawals(v_orders) h;
    IF cardinality(v_claims) > 0 THEN
        PERFORM keep_answers(v_claims, v_done, v_answers, p_status_code, p_message);
    END IF;
    PERFORM set_config('lock_timeout', v_wait, true);
    RETURN QUERY SELECT w.id, w.answer FROM unnest(v_done, v_answers) w (id, answer);
END $$;
REVOKE ALL ON FUNCTION request_withdrawals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_withdrawals TO exchange_runtime;
