-- What PostgreSQL itself holds the ledger to, whoever writes.
--
-- Guards name tables with their schema. Deferred checks run when the transaction commits, outside
-- of the posting functions: with the session's own search path a temporary table called
-- wallets_entry would be looked at instead of the ledger. (A `SET search_path` on each function
-- would do as well, but is paid for at every row.)

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
CREATE OR REPLACE FUNCTION transfer_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.created_txid := txid_current();
    NEW.created_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER transfer_stamp BEFORE INSERT ON wallets_transfer
    FOR EACH ROW EXECUTE FUNCTION transfer_stamp();

CREATE OR REPLACE FUNCTION entry_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    opened bigint;
    places smallint;
BEGIN
    SELECT t.created_txid, a.decimals INTO opened, places
        FROM public.wallets_transfer t, public.wallets_asset a
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
CREATE OR REPLACE FUNCTION transfer_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_transfer uuid;
    legs integer;
    worst numeric;
BEGIN
    IF TG_ARGV[0] = 'header' THEN
        v_transfer := NEW.id;
    ELSE
        v_transfer := NEW.transfer_id;
    END IF;
    SELECT sum(n), max(abs(total)) INTO legs, worst FROM (
        SELECT count(*) AS n, sum(amount) AS total
        FROM public.wallets_entry WHERE transfer_id = v_transfer GROUP BY asset_id
    ) per_asset;
    IF coalesce(legs, 0) < 2 OR worst <> 0 THEN
        RAISE EXCEPTION 'transfer % does not balance', v_transfer
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER transfer_balanced AFTER INSERT ON wallets_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transfer_balanced('header');
CREATE CONSTRAINT TRIGGER entry_balanced AFTER INSERT ON wallets_entry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transfer_balanced('leg');

SELECT make_append_only('wallets_transfer');
SELECT make_append_only('wallets_entry');

-- What an account is never changes; only its balance does, through the posting functions. The
-- trigger is not asked about those: balances change at every movement.
CREATE OR REPLACE FUNCTION account_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what account % is never changes', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$;
-- (An AFTER trigger: a BEFORE one would have the generated column computed anew each time.)
CREATE TRIGGER account_guard AFTER DELETE OR UPDATE OF
    id, asset_id, kind, organisation_id, member_id ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_guard();
CREATE TRIGGER account_guard_truncate BEFORE TRUNCATE ON wallets_account
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The function is in account_start.sql.
CREATE TRIGGER account_starts_right BEFORE INSERT ON wallets_account
    FOR EACH ROW EXECUTE FUNCTION account_starts_right();

-- The application writes the ledger through open_account, post_transfer and
-- request_withdrawal(s).
REVOKE INSERT, UPDATE, DELETE ON wallets_account, wallets_transfer, wallets_entry
    FROM exchange_runtime;
