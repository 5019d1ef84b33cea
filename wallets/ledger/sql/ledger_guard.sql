-- Invariants of the ledger that PostgreSQL enforces, whoever writes.
--
-- Guards qualify tables with their schema. Deferred checks run at commit, outside the posting
-- functions, where the session's search path could put a temporary table named wallets_entry before
-- the ledger. (`SET search_path` on each function would also work, but costs time on every row.)

-- A transfer is closed when its transaction ends: no leg can be added later.
CREATE FUNCTION transfer_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_locked boolean;
BEGIN
    NEW.created_txid := txid_current();
    -- Until the transaction ends, no month is closed (closed_months.sql). As an expression: a statement
    -- takes several times as long.
    v_locked := pg_advisory_xact_lock_shared(hashtextextended('closed_months', 0)) IS NULL;
    -- Not now(): a record is dated under the locks that its transaction waited for.
    NEW.created_at := clock_timestamp();
    -- A clock that is behind. As an error of the server, so that clients see that it is unavailable.
    IF EXISTS (SELECT FROM public.wallets_periodclose c
               WHERE c.status = 'Approved'
                   AND c.month >= date_trunc('month', NEW.created_at AT TIME ZONE 'UTC'))
    THEN
        RAISE EXCEPTION 'transfer % is dated %, into a closed month: check the clock of the server',
            NEW.reference, NEW.created_at
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER transfer_stamp BEFORE INSERT ON wallets_transfer
    FOR EACH ROW EXECUTE FUNCTION transfer_stamp();

-- Checks of legs: transfer_guard.sql.

SELECT make_append_only('wallets_transfer');
SELECT make_append_only('wallets_entry');

-- An account's identity never changes. The trigger ignores balances, which change with every
-- movement, through the posting functions.
CREATE FUNCTION account_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the identity of account % never changes', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
-- (An AFTER trigger: a BEFORE trigger would recompute the generated column each time.)
CREATE TRIGGER account_guard AFTER DELETE OR UPDATE OF
    id, asset_id, kind, organisation_id, member_id ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_guard();
CREATE TRIGGER account_guard_truncate BEFORE TRUNCATE ON wallets_account
    FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

-- Function: account_start.sql.
CREATE TRIGGER account_starts_right BEFORE INSERT ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_starts_right();

-- The application writes the ledger through open_account, post_service_transfers and
-- the functions of withdrawals, orders and loans.
REVOKE INSERT, UPDATE, DELETE ON wallets_asset, wallets_account, wallets_transfer, wallets_entry
    FROM exchange_runtime;

-- Transfers and entries are append-only and name their actors, so they need no audit; balances are sums
-- of entries. Inserts record themselves; later changes are audited.
SELECT audit_table('wallets_asset', inserts => NULL);
SELECT audit_table('wallets_account', about => 'organisation_id', left_out => '{balance,owner_id}',
    inserts => NULL);
SELECT keep_columns('wallets_booksproof', '{id,ran_at,incremental,passed,findings,milliseconds,totals,
    totals_before}');
REVOKE DELETE ON wallets_booksproof FROM exchange_runtime;
SELECT audit_table('wallets_booksproof', inserts => NULL);
