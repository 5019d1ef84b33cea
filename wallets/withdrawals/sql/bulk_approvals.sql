-- A bulk of approvals: what was confirmed never changes, and a bulk that ended stays ended.
SELECT guard_start('wallets_bulkapproval', '{"status": "Waiting", "results": [], "finished_at": null}');
SELECT guard_moves('wallets_bulkapproval', '{Waiting>Undone,Waiting>Done}');
SELECT keep_columns('wallets_bulkapproval', '{id,approver_id,rows,reason,created_at,starts_at}');
SELECT make_permanent('wallets_bulkapproval');
SELECT audit_table('wallets_bulkapproval', about => 'approver_id',
    left_out => '{results,claimed_by,leased_until,attempts}');
