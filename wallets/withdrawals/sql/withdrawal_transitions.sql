-- Legal status changes of a withdrawal, and its immutable columns.
CREATE FUNCTION withdrawal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_alone record;
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
        OLD.bank_id, OLD.requested_by, OLD.created_at, OLD.client_reference, OLD.metadata)
        IS DISTINCT FROM
       (NEW.id, NEW.organisation_id, NEW.member_id, NEW.reference, NEW.currency_id, NEW.amount,
        NEW.fee, NEW.disburse_amount, NEW.gusd_amount, NEW.internal_fee, NEW.internal_fee_type,
        NEW.bank_id, NEW.requested_by, NEW.created_at, NEW.client_reference, NEW.metadata)
    THEN
        RAISE EXCEPTION 'what withdrawal % asks for never changes', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- The first approval may raise the number of approvals required.
    IF NEW.approvals_needed <> OLD.approvals_needed
        AND (NEW.status <> 'Pending' OR OLD.approvals_needed <> 1 OR NEW.approvals_needed <> 2
             OR OLD.first_approver_id IS NOT NULL OR NEW.first_approver_id IS NULL)
    THEN
        RAISE EXCEPTION 'how many approvals withdrawal % needs is raised by the first one only', OLD.id
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
            ('Approved', 'Rejected'),    -- returned by dual approval (payouts/sql/proposals.sql)
            ('Processing', 'Completed'), ('Processing', 'Failed'), ('Processing', 'Unknown'),
            ('Processing', 'Approved'),  -- not accepted by the provider: nothing was sent
            ('Unknown', 'Completed'), ('Unknown', 'Failed'),
            ('Unknown', 'Approved'),     -- sent again by dual approval
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
    -- Rules that only an approval can break are here, as CHECKs would slow down every new request.
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
    -- A sole approval must be within the 24-hour totals (approval_requirement.sql).
    IF OLD.status = 'Pending' AND NEW.status = 'Approved' AND NEW.second_approver_id IS NULL THEN
        SELECT r.needed, s.total + OLD.amount > s.most AS too_much INTO v_alone
            FROM public.approval_requirement(OLD.id) r,
                 public.sole_approvals(NEW.first_approver_id, OLD.id) s;
        IF v_alone.needed > 1 THEN
            RAISE EXCEPTION 'withdrawal % is not approved by enough people', OLD.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approved_by_enough';
        ELSIF v_alone.too_much THEN
            RAISE EXCEPTION 'withdrawal % is more than one person may approve alone', OLD.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_sole_approvals';
        END IF;
    END IF;
    IF NEW.requested_by IN ('staff:' || NEW.first_approver_id, 'staff:' || NEW.second_approver_id)
    THEN
        RAISE EXCEPTION 'nobody approves withdrawal % who asked for it', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_approver_not_maker';
    END IF;
    -- Not now(): the time of the decision is later than the start of the transaction.
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END $$;
