-- What PostgreSQL itself holds the ledger to, whoever writes.
--
-- Guards name tables with their schema. Deferred checks run when the transaction commits, outside
-- of the posting functions: with the session's own search path a temporary table called
-- wallets_entry would be looked at instead of the ledger. (A `SET search_path` on each function
-- would do as well, but is paid for at every row.)

-- A transfer is closed when its transaction ends: no leg may join it later.
CREATE FUNCTION transfer_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.created_txid := txid_current();
    NEW.created_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER transfer_stamp BEFORE INSERT ON wallets_transfer
    FOR EACH ROW EXECUTE FUNCTION transfer_stamp();

-- What its legs are held to is in transfer_guard.sql.

SELECT make_append_only('wallets_transfer');
SELECT make_append_only('wallets_entry');

-- What an account is never changes; only its balance does, through the posting functions. The
-- trigger is not asked about those: balances change at every movement.
CREATE FUNCTION account_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what account % is never changes', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
-- (An AFTER trigger: a BEFORE one would have the generated column computed anew each time.)
CREATE TRIGGER account_guard AFTER DELETE OR UPDATE OF
    id, asset_id, kind, organisation_id, member_id ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_guard();
CREATE TRIGGER account_guard_truncate BEFORE TRUNCATE ON wallets_account
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

-- The function is in account_start.sql.
CREATE TRIGGER account_starts_right BEFORE INSERT ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_starts_right();

-- The application writes the ledger through open_account, post_service_transfers and
-- the functions of withdrawals, orders and loans.
REVOKE INSERT, UPDATE, DELETE ON wallets_account, wallets_transfer, wallets_entry
    FROM exchange_runtime;
