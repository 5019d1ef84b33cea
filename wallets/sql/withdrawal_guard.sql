-- Legal states of a withdrawal, and what never changes about it, whoever writes.

ALTER TABLE wallets_withdrawal
    -- The escrow account is of the same owner, organisation and currency. The account itself is
    -- held to its member, organisation and asset, so this stands for the plain keys of all three.
    ADD CONSTRAINT withdrawal_escrow_of_owner
    FOREIGN KEY (escrow_account_id, owner_id, organisation_id, currency_id)
        REFERENCES wallets_account (id, owner_id, organisation_id, asset_id),
    ADD CONSTRAINT withdrawal_bank_of_organisation
    FOREIGN KEY (bank_id, organisation_id) REFERENCES wallets_bankaccount (id, organisation_id);
ALTER TABLE wallets_deposit
    ADD CONSTRAINT deposit_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);

CREATE OR REPLACE FUNCTION withdrawal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'withdrawals are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'Pending' OR NEW.version <> 1 OR NEW.actioned_on IS NOT NULL
            OR NEW.first_approver_id IS NOT NULL OR NEW.second_approver_id IS NOT NULL
            OR NEW.approvals_needed NOT IN (1, 2)
        THEN
            RAISE EXCEPTION 'a withdrawal starts Pending and undecided'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_starts_pending';
        END IF;
        RETURN NEW;
    END IF;
    IF (OLD.id, OLD.organisation_id, OLD.member_id, OLD.reference, OLD.currency_id, OLD.amount,
        OLD.fee, OLD.disburse_amount, OLD.gusd_amount, OLD.internal_fee, OLD.internal_fee_type,
        OLD.bank_id, OLD.requested_by, OLD.approvals_needed, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.member_id, NEW.reference, NEW.currency_id, NEW.amount,
        NEW.fee, NEW.disburse_amount, NEW.gusd_amount, NEW.internal_fee, NEW.internal_fee_type,
        NEW.bank_id, NEW.requested_by, NEW.approvals_needed, NEW.created_at)
    THEN
        RAISE EXCEPTION 'what withdrawal % asks for never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.status <> OLD.status THEN
        IF NEW.version <> OLD.version + 1 THEN
            RAISE EXCEPTION 'a transition raises the version by one'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_version';
        END IF;
        IF (OLD.status, NEW.status) NOT IN (
            ('Pending', 'Approved'), ('Pending', 'Rejected'), ('Pending', 'Cancelled'),
            ('Approved', 'Processing'),
            ('Processing', 'Completed'), ('Processing', 'Failed'), ('Processing', 'Unknown'),
            ('Processing', 'Approved'),  -- the provider had too little float: nothing was sent
            ('Unknown', 'Completed'), ('Unknown', 'Failed'),
            ('Unknown', 'Approved'),     -- two people decided to send it again
            ('Completed', 'Reversed')
        ) THEN
            RAISE EXCEPTION 'withdrawal % cannot go from % to %', OLD.id, OLD.status, NEW.status
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_transition';
        END IF;
    ELSIF NEW.version NOT IN (OLD.version, OLD.version + 1) THEN
        RAISE EXCEPTION 'the version of withdrawal % counts by one', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_version';
    END IF;
    IF OLD.first_approver_id IS NOT NULL
        AND OLD.first_approver_id IS DISTINCT FROM NEW.first_approver_id
        OR OLD.second_approver_id IS NOT NULL
        AND OLD.second_approver_id IS DISTINCT FROM NEW.second_approver_id
    THEN
        RAISE EXCEPTION 'who approved withdrawal % never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- Row rules that only an approval can break are here and not in CHECKs, which every new
    -- request would pay for.
    IF NEW.first_approver_id = NEW.second_approver_id THEN
        RAISE EXCEPTION 'withdrawal % needs two different approvers', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approvers_differ';
    END IF;
    IF NEW.status NOT IN ('Pending', 'Rejected', 'Cancelled')
        AND (NEW.first_approver_id IS NULL
             OR NEW.approvals_needed > 1 AND NEW.second_approver_id IS NULL)
    THEN
        RAISE EXCEPTION 'withdrawal % is not approved by enough people', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approved_by_enough';
    END IF;
    IF NEW.requested_by IN ('staff:' || NEW.first_approver_id, 'staff:' || NEW.second_approver_id)
    THEN
        RAISE EXCEPTION 'nobody approves withdrawal % who asked for it', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approver_not_maker';
    END IF;
    -- The clock, not the start of the transaction: the decision's own time lies in between.
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;
-- Named to fire before zz_document, which must see the row as it will be.
CREATE TRIGGER withdrawal_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_withdrawal
    FOR EACH ROW EXECUTE FUNCTION withdrawal_guard();

-- A bank record keeps what the caller gave; only the corridor fields may still be filled in,
-- and only while the withdrawal is Pending.
CREATE OR REPLACE FUNCTION bank_account_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'bank records are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.id, OLD.organisation_id, OLD.name, OLD.code, OLD.provider_bank_id,
        OLD.account_number, OLD.account_name, OLD.given_name, OLD.name_resolved,
        OLD.currency_id, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.name, NEW.code, NEW.provider_bank_id,
        NEW.account_number, NEW.account_name, NEW.given_name, NEW.name_resolved,
        NEW.currency_id, NEW.created_at)
    THEN
        RAISE EXCEPTION 'bank record % is a snapshot', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    IF (OLD.branch_code, OLD.recipient_first_name, OLD.recipient_last_name, OLD.recipient_email,
        OLD.recipient_phone, OLD.recipient_address)
        IS DISTINCT FROM
       (NEW.branch_code, NEW.recipient_first_name, NEW.recipient_last_name, NEW.recipient_email,
        NEW.recipient_phone, NEW.recipient_address)
        AND EXISTS (SELECT FROM public.wallets_withdrawal w
                    WHERE w.bank_id = OLD.id AND w.status <> 'Pending')
    THEN
        RAISE EXCEPTION 'bank record % belongs to a decided withdrawal', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER bank_account_guard BEFORE UPDATE OR DELETE ON wallets_bankaccount
    FOR EACH ROW EXECUTE FUNCTION bank_account_guard();

CREATE OR REPLACE FUNCTION deposit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'deposits are never removed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.status <> 'Pending' OR
       (OLD.id, OLD.organisation_id, OLD.member_id, OLD.currency_id, OLD.amount, OLD.reference,
        OLD.entered_by_id, OLD.created_at)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.member_id, NEW.currency_id, NEW.amount, NEW.reference,
        NEW.entered_by_id, NEW.created_at)
    THEN
        RAISE EXCEPTION 'deposit % is decided, or what it enters would change', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deposit_guard BEFORE UPDATE OR DELETE ON wallets_deposit
    FOR EACH ROW EXECUTE FUNCTION deposit_guard();

SELECT make_append_only('wallets_decision');
