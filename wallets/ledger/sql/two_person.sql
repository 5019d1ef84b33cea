-- Payout proposals and settings changes need dual control; see
-- exchange/staff/sql/two_person.sql.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_proposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'proposal', 'proposed_by_id', 'Open', 'Confirmed', '');
CREATE TRIGGER approval_guard
    BEFORE INSERT OR UPDATE OR DELETE ON wallets_configurationfigure
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'setting_change', 'proposed_by_id', 'Pending', 'Approved', 'decision_note,effective_at,approval_reason',
        'status,cancellation_requested_by_id,cancellation_reason,cancelled_by_id,cancelled_at',
        'Approved');
