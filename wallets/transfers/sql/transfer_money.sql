-- Executes one or several concurrent transfers between wallets in one transaction: claims the idempotency
-- keys, moves the money, writes the records and stores the responses.
--
-- `p_commands` is an array of the JSON form of `wallet_transfer_order` (wallets.transfers.commands).
-- Returns a row for each transfer that was executed or whose key has a stored response. In a batch,
-- transfers that cannot be executed are skipped without a trace and must be sent again alone. The
-- rejection of a single transfer raises SQLSTATE XW400 with the code as message and JSON as detail.
CREATE FUNCTION transfer_money(
    p_commands jsonb, p_wait_ms integer, p_retention interval, p_status_code integer, p_message text
) RETURNS TABLE (id uuid, status_code integer, message text, data text, replayed boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_alone boolean := jsonb_array_length(p_commands) = 1;
    v_wait text := current_setting('lock_timeout');
    v_new wallet_transfer_order[] := '{}';
    v_before wallet_transfer_order;
    v_done uuid[];
    v_answers text[];
    o wallet_transfer_order;
BEGIN
    -- Claim keys in a fixed order to avoid deadlocks.
    FOREACH o IN ARRAY ARRAY(
        SELECT c FROM jsonb_populate_recordset(NULL::wallet_transfer_order, p_commands) c
        ORDER BY c.organisation, c.method, c.path, c.key, c.record
    ) LOOP
        IF o.key IS NOT NULL THEN
            IF (o.organisation, o.method, o.path, o.key)
                = (v_before.organisation, v_before.method, v_before.path, v_before.key)
            THEN
                CONTINUE;
            END IF;
            v_before := o;
            SELECT o.record, c.status_code, c.message, c.data, true
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
    SELECT coalesce(array_agg(m.done), '{}'), coalesce(array_agg(m.answer), '{}')
        INTO v_done, v_answers FROM move_between_wallets(v_new) m;
    IF cardinality(v_done) = 0 AND v_alone THEN
        o := v_new[1];
        PERFORM reject_transfer(o);
        -- Not rejected: the first money of this wallet, which has no account yet.
        PERFORM open_account(o.new_account, o.currency, 'available', o.organisation, o.payee);
        SELECT array_agg(m.done), array_agg(m.answer) INTO STRICT v_done, v_answers
            FROM move_between_wallets(v_new) m;
        IF v_done IS NULL THEN
            -- Rejected meanwhile.
            PERFORM reject_transfer(o);
            RAISE EXCEPTION 'transfer % was not executed', o.record;
        END IF;
    END IF;
    IF NOT v_alone THEN
        PERFORM set_config('lock_timeout', v_wait, true);
    END IF;

    FOREACH o IN ARRAY v_new LOOP
        IF o.record = ANY (v_done) THEN
            id := o.record;
            status_code := p_status_code;
            message := p_message;
            data := v_answers[array_position(v_done, o.record)];
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
REVOKE ALL ON FUNCTION transfer_money FROM PUBLIC;
GRANT EXECUTE ON FUNCTION transfer_money TO exchange_runtime;

-- Raises the first reason to reject `o`, if any.
CREATE FUNCTION reject_transfer(o wallet_transfer_order) RETURNS void
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
END $$;
REVOKE ALL ON FUNCTION reject_transfer FROM PUBLIC;
