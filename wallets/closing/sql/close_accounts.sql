-- Closing of a member's accounts. A closed account stays empty (constraint account_of_closed_member), and
-- no other is opened for a closed member (account_start.sql), so no race leaves anything with one. Only
-- debts remain possible: a deposit may be taken back later.

-- Closes the accounts of a member that has nothing left; otherwise returns what is left, by asset and
-- kind of account, and closes none.
--
-- Locks the member, which new accounts wait for, then the accounts. Others lock accounts first and then
-- the member, so this waits briefly only, and fails with lock_not_available.
CREATE FUNCTION close_accounts(p_organisation uuid, p_member uuid)
RETURNS TABLE (asset text, symbol text, kind text, balance numeric)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    v_wait text := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '500ms', true);
    PERFORM 1 FROM exchange_member m
        WHERE m.id = p_member AND m.organisation_id = p_organisation FOR NO KEY UPDATE;
    PERFORM 1 FROM wallets_account a WHERE a.owner_id = p_member ORDER BY a.id FOR NO KEY UPDATE;
    PERFORM set_config('lock_timeout', v_wait, true);
    RETURN QUERY
        SELECT a.asset_id::text, coalesce(t.symbol, a.asset_id)::text, a.kind::text, a.balance
        FROM wallets_account a
        JOIN wallets_asset s ON s.id = a.asset_id
        LEFT JOIN exchange_currency c ON c.code = s.currency_id
        LEFT JOIN exchange_token t ON t.id = s.token_id
        WHERE a.owner_id = p_member AND a.organisation_id = p_organisation AND a.balance <> 0
        ORDER BY c.position, t.symbol, t.id, a.kind;
    IF NOT FOUND THEN
        UPDATE wallets_account a SET closed = true
            WHERE a.owner_id = p_member AND a.organisation_id = p_organisation;
    END IF;
END $$;
REVOKE ALL ON FUNCTION close_accounts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION close_accounts TO exchange_runtime;

-- A member is closed with its accounts, for every login.
CREATE FUNCTION member_closing_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.closed_at IS NULL THEN
        RAISE EXCEPTION 'a closed member stays closed' USING ERRCODE = 'restrict_violation';
    ELSIF EXISTS (
        SELECT FROM public.wallets_account a
        WHERE a.owner_id = NEW.id AND a.kind <> 'receivable' AND NOT a.closed)
    THEN
        RAISE EXCEPTION 'member % has open accounts', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'member_closed_with_accounts';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER member_closing_guard AFTER UPDATE OF closed_at ON exchange_member
    FOR EACH ROW WHEN (NEW.closed_at IS DISTINCT FROM OLD.closed_at)
    EXECUTE FUNCTION member_closing_guard();
