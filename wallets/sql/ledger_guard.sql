-- What PostgreSQL itself holds the ledger to, whoever writes.
--
-- Every function fixes its search path. Deferred checks run when the transaction commits, outside
-- of the posting functions: with the session's own path a temporary table called wallets_entry
-- would be looked at instead of the ledger.

ALTER TABLE wallets_account
    ADD CONSTRAINT account_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
-- Balances change all the time; room on the page keeps those updates out of the indexes.
ALTER TABLE wallets_account SET (fillfactor = 60);
ALTER TABLE wallets_entry
    ADD CONSTRAINT entry_asset_of_account
    FOREIGN KEY (account_id, asset_id) REFERENCES wallets_account (id, asset_id);

-- Whatever their references say, a subject is closed once, charged once and reversed once.
CREATE UNIQUE INDEX transfer_closes_once ON wallets_transfer (subject_id)
    WHERE kind IN ('withdrawal_settle', 'withdrawal_release');
CREATE UNIQUE INDEX transfer_charges_once ON wallets_transfer (subject_id)
    WHERE kind = 'provider_charge';
CREATE UNIQUE INDEX transfer_reverses_once ON wallets_transfer (subject_id)
    WHERE kind = 'withdrawal_reverse';

-- A transfer is closed when its transaction ends: no leg may join it later.
CREATE OR REPLACE FUNCTION transfer_stamp() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    NEW.created_txid := txid_current();
    NEW.created_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER transfer_stamp BEFORE INSERT ON wallets_transfer
    FOR EACH ROW EXECUTE FUNCTION transfer_stamp();

CREATE OR REPLACE FUNCTION entry_guard() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    opened bigint;
    places smallint;
BEGIN
    SELECT t.created_txid, a.decimals INTO opened, places
        FROM wallets_transfer t, wallets_asset a
        WHERE t.id = NEW.transfer_id AND a.id = NEW.asset_id;
    IF opened IS DISTINCT FROM txid_current() THEN
        RAISE EXCEPTION 'transfer % is closed', NEW.transfer_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.amount <> round(NEW.amount, places) THEN
        RAISE EXCEPTION '% % has more than % decimals', NEW.amount, NEW.asset_id, places
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_decimals';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entry_guard BEFORE INSERT ON wallets_entry
    FOR EACH ROW EXECUTE FUNCTION entry_guard();

-- Two or more legs, zero for every asset. Checked when the transaction commits, for the header
-- (a header without legs has no entry to be checked on) and for every leg (else an early
-- SET CONSTRAINTS IMMEDIATE would let a later leg through).
CREATE OR REPLACE FUNCTION assert_transfer_balanced(p_transfer uuid) RETURNS void
LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
DECLARE
    legs integer;
    worst numeric;
BEGIN
    SELECT sum(n), max(abs(total)) INTO legs, worst FROM (
        SELECT count(*) AS n, sum(amount) AS total
        FROM wallets_entry WHERE transfer_id = p_transfer GROUP BY asset_id
    ) per_asset;
    IF coalesce(legs, 0) < 2 OR worst <> 0 THEN
        RAISE EXCEPTION 'transfer % does not balance', p_transfer
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
END $$;

CREATE OR REPLACE FUNCTION transfer_balanced() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM assert_transfer_balanced(NEW.id);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER transfer_balanced AFTER INSERT ON wallets_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transfer_balanced();

CREATE OR REPLACE FUNCTION entry_balanced() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM assert_transfer_balanced(NEW.transfer_id);
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entry_balanced AFTER INSERT ON wallets_entry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION entry_balanced();

SELECT make_append_only('wallets_transfer');
SELECT make_append_only('wallets_entry');

-- What an account is never changes; only its balance does, through the posting functions. The
-- trigger is not asked about those: balances change at every movement.
CREATE OR REPLACE FUNCTION account_guard() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'what account % is never changes', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER account_guard BEFORE DELETE OR UPDATE OF
    id, asset_id, kind, organisation_id, member_id ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_guard();
CREATE TRIGGER account_guard_truncate BEFORE TRUNCATE ON wallets_account
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- An account starts empty: a balance comes from entries only.
CREATE OR REPLACE FUNCTION account_starts_empty() RETURNS trigger LANGUAGE plpgsql
SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.balance <> 0 THEN
        RAISE EXCEPTION 'account % must start empty', NEW.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER account_starts_empty BEFORE INSERT ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_starts_empty();

-- The application writes the ledger through open_account, post_transfer and request_withdrawal.
REVOKE INSERT, UPDATE, DELETE ON wallets_account, wallets_transfer, wallets_entry
    FROM exchange_runtime;
