-- Executes one or several concurrent withdrawal requests in one transaction: claims the idempotency
-- keys, holds the money, writes the requests and stores the responses.
--
-- `p_commands` is an array of the JSON form of `withdrawal_order` (wallets.withdrawals.commands). Returns
-- a row for each request that was executed or whose key has a stored response. In a batch, requests
-- that cannot be executed are skipped without a trace and must be sent again alone. The rejection of
-- a single request raises SQLSTATE XW400 with the code as message and JSON as detail.
CREATE FUNCTION request_withdrawals(
    p_commands jsonb, p_wait_ms integer, p_retention interval, p_status_code integer, p_message text
) RETURNS TABLE (id uuid, status_code integer, message text, data text, replayed boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_alone boolean := jsonb_array_length(p_commands) = 1;
    v_wait text := current_setting('lock_timeout');
    v_new withdrawal_order[] := '{}';
    v_before withdrawal_order;
    v_done uuid[];
    v_answers text[];
    o withdrawal_order;
BEGIN
    -- Claim keys in a fixed order to avoid deadlocks.
    FOREACH o IN ARRAY ARRAY(
        SELECT c FROM jsonb_populate_recordset(NULL::withdrawal_order, p_commands) c
        ORDER BY c.organisation, c.method, c.path, c.key, c.withdrawal
    ) LOOP
        IF o.key IS NOT NULL THEN
            IF (o.organisation, o.method, o.path, o.key)
                = (v_before.organisation, v_before.method, v_before.path, v_before.key)
            THEN
                CONTINUE;
            END IF;
            v_before := o;
            SELECT o.withdrawal, c.status_code, c.message, c.data, true
                INTO id, status_code, message, data, replayed
                FROM claim_idempotency_key(
                    o.organisation, o.method, o.path, o.key, o.body_hash, p_wait_ms, p_retention) c;
            IF status_code IS NOT NULL THEN
                RETURN NEXT;
                CONTINUE;
            END IF;
        END IF;
        v_new := v_new || o;
    END LOOP;
    IF cardinality(v_new) = 0 THEN
        RETURN;
    END IF;

    IF NOT v_alone THEN
        -- A wallet locked for long must not block the batch: after a second all run separately.
        PERFORM set_config('lock_timeout', '1s', true);
    END IF;
    SELECT coalesce(array_agg(h.done), '{}'), coalesce(array_agg(h.answer), '{}')
        INTO v_done, v_answers FROM hold_withdrawals(v_new) h;
    IF cardinality(v_done) = 0 AND v_alone THEN
        o := v_new[1];
        PERFORM reject_withdrawal(o, f.minimum, f.fee) FROM withdrawal_settings(o.currency) f;
        -- Not rejected: the first request of this wallet, which has no escrow account yet.
        PERFORM open_account(o.new_escrow, o.currency, 'escrow', o.organisation, o.member);
        SELECT array_agg(h.done), array_agg(h.answer) INTO STRICT v_done, v_answers
            FROM hold_withdrawals(v_new) h;
        IF v_done IS NULL THEN
            -- Rejected meanwhile.
            PERFORM reject_withdrawal(o, f.minimum, f.fee) FROM withdrawal_settings(o.currency) f;
            RAISE EXCEPTION 'withdrawal % was not executed', o.withdrawal;
        END IF;
    END IF;
    IF NOT v_alone THEN
        PERFORM set_config('lock_timeout', v_wait, true);
    END IF;

    FOREACH o IN ARRAY v_new LOOP
        IF o.withdrawal = ANY (v_done) THEN
            id := o.withdrawal;
            status_code := p_status_code;
            message := p_message;
            data := v_answers[array_position(v_done, o.withdrawal)];
            replayed := false;
            IF o.key IS NOT NULL THEN
                PERFORM store_idempotent_response(
                    o.organisation, o.method, o.path, o.key, status_code, message, data);
            END IF;
            RETURN NEXT;
        ELSIF o.key IS NOT NULL THEN
            PERFORM release_idempotency_key(o.organisation, o.method, o.path, o.key);
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION request_withdrawals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_withdrawals TO exchange_runtime;

-- Returns the first rule, in the specified order, that rejects a request, or NULL. A rule whose
-- setting is NULL is skipped. Without an account the balance is zero. `p_taken`: the organisation has a
-- withdrawal with the client reference. `p_block`: that of `owner_block`; named once, so that the function
-- is inlined.
CREATE FUNCTION find_withdrawal_rejection(
    p_amount numeric, p_balance numeric, p_taken boolean, p_block text, p_minimum numeric,
    p_fee numeric
) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN coalesce(p_balance, 0) < p_amount THEN 'insufficient_balance'
    WHEN p_taken THEN 'client_reference_taken'
    ELSE coalesce(p_block, CASE
        WHEN p_amount < p_minimum THEN 'below_minimum'
        WHEN p_amount <= p_fee THEN 'fee_exceeds_amount'
    END)
END;

-- Raises the first reason to reject `o` under these settings, if any.
CREATE FUNCTION reject_withdrawal(
    o withdrawal_order, p_minimum numeric, p_fee numeric
) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    v_balance numeric;
    v_code text := member_refusal(o.organisation, o.member);
BEGIN
    IF v_code IS NULL THEN
        SELECT balance INTO v_balance FROM wallets_account
            WHERE owner_id = coalesce(o.member, o.organisation) AND asset_id = o.currency
                AND kind = 'available';
        v_code := find_withdrawal_rejection(
            o.amount, v_balance,
            o.client_reference IS NOT NULL AND EXISTS (
                SELECT FROM wallets_withdrawal w
                WHERE w.organisation_id = o.organisation
                    AND w.client_reference = o.client_reference),
            owner_block(o.organisation, o.member, o.currency), p_minimum, p_fee);
        -- Before the rules about the amount.
        IF coalesce(v_code, 'below_minimum') IN ('below_minimum', 'fee_exceeds_amount')
            AND verification_missing(o.organisation, o.member)
        THEN
            v_code := 'verification_required';
        END IF;
    END IF;
    IF v_code IS NOT NULL THEN
        RAISE EXCEPTION '%', v_code USING ERRCODE = 'XW400', DETAIL = CASE v_code
            WHEN 'insufficient_balance'
                THEN format('{"available":%s}', trim_scale(coalesce(v_balance, 0)))
            WHEN 'below_minimum' THEN format('{"minimum":%s}', trim_scale(p_minimum))
            WHEN 'fee_exceeds_amount' THEN format('{"fee":%s}', trim_scale(p_fee))
            ELSE '{}'
        END;
    END IF;
END $$;
REVOKE ALL ON FUNCTION reject_withdrawal FROM PUBLIC;

-- Checks a request before the network calls: all rules but the fee, which comes after the bank.
CREATE FUNCTION check_withdrawal(p_commands jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM reject_withdrawal(o, f.minimum, NULL)
        FROM jsonb_populate_recordset(NULL::withdrawal_order, p_commands) o
        CROSS JOIN LATERAL withdrawal_settings(o.currency) f;
END $$;
REVOKE ALL ON FUNCTION check_withdrawal FROM PUBLIC;
GRANT EXECUTE ON FUNCTION check_withdrawal TO exchange_runtime;
