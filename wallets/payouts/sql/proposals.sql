-- Payout proposals, which two people decide (exchange/staff/sql/two_person.sql), and what needs one: the
-- return of a withdrawal, and the transfer of its reversal.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_proposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'proposal', 'proposed_by_id', 'Pending', 'Approved', '');
REVOKE DELETE ON wallets_proposal FROM exchange_runtime;
SELECT audit_table('wallets_proposal', about => 'withdrawal_id');

-- A return requires an unclaimed payout that was never sent again (it may have been paid), and a
-- confirmed proposal.
CREATE FUNCTION withdrawal_return_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (
        EXISTS (SELECT FROM public.wallets_payout p
                WHERE p.withdrawal_id = OLD.id AND p.posted_at IS NULL
                    AND p.leased_until IS NULL AND p.provider_id = '')
        AND NOT EXISTS (SELECT FROM public.wallets_proposal r
                        WHERE r.withdrawal_id = OLD.id AND r.action = 'Send again'
                            AND r.status = 'Approved')
        AND EXISTS (SELECT FROM public.wallets_proposal r
                    WHERE r.withdrawal_id = OLD.id AND r.action = 'Return'
                        AND r.status = 'Approved' AND r.decided_by_id <> r.proposed_by_id))
    THEN
        RAISE EXCEPTION 'withdrawal % is not returned by two people, or may be sent', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_returned_by_two';
    END IF;
    RETURN NEW;
END $$;
-- Named to fire after withdrawal_guard.
CREATE TRIGGER withdrawal_return_guard BEFORE UPDATE OF status ON wallets_withdrawal
    FOR EACH ROW WHEN (OLD.status = 'Approved' AND NEW.status = 'Rejected')
    EXECUTE FUNCTION withdrawal_return_guard();

SELECT set_transfer_rule('withdrawal_reverse', '{clearing}', '{available}',
    'withdrawal:{id}:reverse', 'wallets_withdrawal', '{Reversed}', true,
    'public.reversal_transfer_justified(NEW)');

CREATE FUNCTION reversal_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN public.withdrawal_transfer_justified(posted) AND EXISTS (
        SELECT FROM public.wallets_proposal p
        WHERE p.withdrawal_id = posted.subject_id AND p.action = 'Reverse'
            AND p.status = 'Approved' AND p.decided_by_id <> p.proposed_by_id);
END $$;
