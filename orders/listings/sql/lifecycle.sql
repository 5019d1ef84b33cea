-- Two people complete a raise by hand, open secondary trading, exit or cancel a token; a sale completes
-- its raise alone once nothing is left to sell.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON orders_tokenproposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'token_proposal', 'proposed_by_id', 'Pending', 'Approved', 'reason');
REVOKE DELETE ON orders_tokenproposal FROM exchange_runtime;
SELECT audit_table('orders_tokenproposal', about => 'token_id');

-- Whether two people have approved an action on a token, later than `p_since`. Each is done once, in their
-- transaction; trading is resumed once for every halt.
CREATE FUNCTION token_action_approved(
    p_token uuid, p_action text, p_since timestamptz DEFAULT '-infinity'
) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.orders_tokenproposal p
        WHERE p.token_id = p_token AND p.action = p_action AND p.status = 'Approved'
            AND p.decided_by_id <> p.proposed_by_id AND p.decided_at > p_since);
END $$;

-- A token is cancelled, exited, opened or resumed only as two people approved it. (A raise is completed by
-- `pay_out_raise` alone, see exchange/tokens/sql/tokens.sql.)
CREATE FUNCTION token_lifecycle_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_action text := CASE
        WHEN NEW.cancelled AND NOT OLD.cancelled THEN 'cancel'
        -- The payment of a redemption exits it too, by a function of the owner.
        WHEN NEW.exited AND NOT OLD.exited AND current_user = 'exchange_runtime' THEN 'exit'
        WHEN NEW.secondaries AND NOT OLD.secondaries THEN 'secondaries'
    END;
BEGIN
    IF v_action IS NOT NULL AND NOT public.token_action_approved(NEW.id, v_action) THEN
        RAISE EXCEPTION '% of token % is not approved by two people', v_action, NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_action_by_two',
            TABLE = TG_TABLE_NAME;
    END IF;
    -- A halt neither ends nor moves without them: moved back, an earlier approval would end it.
    IF NEW.halted_at IS DISTINCT FROM OLD.halted_at AND OLD.halted_at IS NOT NULL
        AND NOT (NEW.halted_at IS NULL
                 AND public.token_action_approved(NEW.id, 'resume', OLD.halted_at))
    THEN
        RAISE EXCEPTION 'the halt of token % is not ended by two people', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_resumed_by_two',
            TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER token_lifecycle_guard
    AFTER UPDATE OF cancelled, exited, secondaries, halted_at ON exchange_token
    FOR EACH ROW EXECUTE FUNCTION token_lifecycle_guard();

-- Completes a raise as two people approved. The caller locks the token.
CREATE FUNCTION complete_raise(p_token uuid, p_actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT token_action_approved(p_token, 'complete') AND EXISTS (
        SELECT FROM exchange_token t WHERE t.id = p_token AND NOT t.completed_raise AND NOT t.cancelled)
    THEN
        RAISE EXCEPTION 'the raise of token % is not completed by two people', p_token
            USING ERRCODE = 'check_violation', CONSTRAINT = 'raise_completed_by_two';
    END IF;
    PERFORM pay_out_raise(p_token, p_actor);
END $$;
REVOKE ALL ON FUNCTION complete_raise FROM PUBLIC;
GRANT EXECUTE ON FUNCTION complete_raise TO exchange_runtime;
