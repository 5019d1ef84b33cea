-- Guards of write-offs, and the record that justifies their transfer.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON wallets_receivablewriteoff
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'write_off', 'proposed_by_id', 'Pending', 'Approved', 'reason');
REVOKE DELETE ON wallets_receivablewriteoff FROM exchange_runtime;
SELECT audit_table('wallets_receivablewriteoff');

SELECT set_transfer_rule('receivable_write_off', '{expenses}', '{receivable}', 'write_off:{id}',
    'wallets_receivablewriteoff', '{Approved}', true, 'public.write_off_justified(NEW)');

-- Whether an approved write-off justifies a transfer: its amount, to its account.
CREATE FUNCTION write_off_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((
                e.fits AND e.asset_id = a.asset_id AND abs(e.amount) = w.amount
                AND (e.kind = 'expenses' OR e.owner_id = a.owner_id)) IS TRUE)
        FROM public.wallets_receivablewriteoff w
        JOIN public.wallets_account a ON a.id = w.account_id AND a.kind = 'receivable'
        CROSS JOIN LATERAL public.transfer_legs(posted, w.status) e
        WHERE w.id = posted.subject_id AND w.decided_by_id <> w.proposed_by_id);
END $$;
