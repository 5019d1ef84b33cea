-- The rules of a withdrawal request, checked before the network calls and under the locks.

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

-- Raises the first reason to reject `o` under these settings, if any: SQLSTATE XW400 with the code as message
-- and JSON as detail.
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

-- Raises the reason why a request cannot be executed. Without one it is the first request of its wallet,
-- which has no escrow account yet.
CREATE FUNCTION request_withdrawals_reject(o withdrawal_order) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM reject_withdrawal(o, f.minimum, f.fee) FROM withdrawal_settings(o.currency) f;
    PERFORM open_account(o.new_escrow, o.currency, 'escrow', o.organisation, o.member);
END $$;
REVOKE ALL ON FUNCTION request_withdrawals_reject FROM PUBLIC;

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
