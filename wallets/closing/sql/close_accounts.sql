-- Closing and reopening of a member's accounts. A closed account stays empty (constraint
-- account_of_closed_member), and no other is opened for a closed member (account_start.sql), so no race
-- leaves anything with one. Only debts remain possible: a deposit may be taken back later.

-- Locks a member, which new accounts wait for, then its accounts. Others lock accounts first and then the
-- member, so this waits briefly only, and fails with lock_not_available.
CREATE FUNCTION lock_member_accounts(p_organisation uuid, p_member uuid) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    v_wait text := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '500ms', true);
    PERFORM 1 FROM exchange_member m
        WHERE m.id = p_member AND m.organisation_id = p_organisation FOR NO KEY UPDATE;
    PERFORM 1 FROM wallets_account a
        WHERE a.owner_id = p_member AND a.organisation_id = p_organisation
        ORDER BY a.id FOR NO KEY UPDATE;
    PERFORM set_config('lock_timeout', v_wait, true);
END $$;
REVOKE ALL ON FUNCTION lock_member_accounts FROM PUBLIC;

-- Closes the accounts of a member that has nothing left; otherwise returns what is left, by asset and
-- kind of account, and closes none.
CREATE FUNCTION close_accounts(p_organisation uuid, p_member uuid)
RETURNS TABLE (asset text, symbol text, kind text, balance numeric)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM lock_member_accounts(p_organisation, p_member);
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

-- Opens the accounts of a closed member again.
CREATE FUNCTION reopen_accounts(p_organisation uuid, p_member uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM lock_member_accounts(p_organisation, p_member);
    UPDATE wallets_account a SET closed = false
        WHERE a.owner_id = p_member AND a.organisation_id = p_organisation AND a.closed;
END $$;
REVOKE ALL ON FUNCTION reopen_accounts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reopen_accounts TO exchange_runtime;

-- A member is closed, and opened again, with its accounts, for every login. A debt's account may be open.
CREATE FUNCTION member_closing_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.wallets_account a
        WHERE a.owner_id = NEW.id AND a.kind <> 'receivable'
            AND a.closed <> (NEW.closed_at IS NOT NULL))
    THEN
        RAISE EXCEPTION 'the accounts of member % are not closed or opened with it', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'member_closed_with_accounts';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER member_closing_guard AFTER UPDATE OF closed_at ON exchange_member
    FOR EACH ROW WHEN ((NEW.closed_at IS NULL) <> (OLD.closed_at IS NULL))
    EXECUTE FUNCTION member_closing_guard();
