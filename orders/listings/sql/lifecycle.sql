-- Two people complete a raise by hand, open secondary trading, exit or cancel a token; a sale completes
-- its raise alone once nothing is left to sell.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON orders_tokenproposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'token_proposal', 'proposed_by_id', 'Pending', 'Approved', 'reason');
REVOKE DELETE ON orders_tokenproposal FROM exchange_runtime;
SELECT audit_table('orders_tokenproposal', about => 'token_id');

-- Whether two people have approved an action on a token. Each is done once, in their transaction.
CREATE FUNCTION token_action_approved(p_token uuid, p_action text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.orders_tokenproposal p
        WHERE p.token_id = p_token AND p.action = p_action AND p.status = 'Approved'
            AND p.decided_by_id <> p.proposed_by_id);
END $$;

-- Whether less than the minimum purchase is left of a raise (as `buy_from_issuer` decides).
CREATE FUNCTION raise_sold_out(p_token uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_sold_out boolean;
BEGIN
    SELECT x.value < 10::numeric ^ -c.decimals::numeric
            OR public.round_half_even(x.value, c.decimals) < t.min_trade_buy
        INTO v_sold_out
        FROM public.exchange_token t
        JOIN public.exchange_currency c ON c.code = t.currency_id
        LEFT JOIN public.wallets_account a ON a.owner_id = t.issuer_id AND a.kind = 'unsold'
            AND a.asset_id = t.id::text
        CROSS JOIN LATERAL (
            SELECT t.price_buy * least(
                coalesce(a.balance, 0),
                div((t.raise_amount - t.total_raised) * 100000000, t.price_buy) * 0.00000001) AS value
        ) x
        WHERE t.id = p_token;
    RETURN v_sold_out;
END $$;

-- A token is cancelled, exited or opened only as two people approved it. (`complete_raise` alone completes a
-- raise, see exchange/tokens/sql/tokens.sql.)
CREATE FUNCTION token_lifecycle_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_action text := CASE
        WHEN NEW.cancelled AND NOT OLD.cancelled THEN 'cancel'
        WHEN NEW.exited AND NOT OLD.exited THEN 'exit'
        WHEN NEW.secondaries AND NOT OLD.secondaries THEN 'secondaries'
    END;
BEGIN
    IF v_action IS NOT NULL AND NOT public.token_action_approved(NEW.id, v_action) THEN
        RAISE EXCEPTION '% of token % is not approved by two people', v_action, NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_action_by_two',
            TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER token_lifecycle_guard
    AFTER UPDATE OF cancelled, exited, secondaries ON exchange_token
    FOR EACH ROW EXECUTE FUNCTION token_lifecycle_guard();
