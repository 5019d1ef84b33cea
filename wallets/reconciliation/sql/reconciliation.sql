-- Reports are written once: lines are append-only, and what was requested never changes.
SELECT make_append_only('wallets_reconciliationline');
REVOKE DELETE, UPDATE ON wallets_reconciliation FROM exchange_runtime;
GRANT UPDATE (status, reason, differences, compared, claimed_by, leased_until, attempts, finished_at,
    balances_at) ON wallets_reconciliation TO exchange_runtime;
SELECT guard_start('wallets_reconciliation', '{"status": "Waiting", "finished_at": null}');
SELECT guard_moves('wallets_reconciliation',
    '{Waiting>Running,Running>Matched,Running>Differs,Running>Incomplete}');
SELECT keep_columns('wallets_reconciliation', '{status,reason,differences,compared,finished_at,
    balances_at}', since => 'OLD.finished_at IS NOT NULL');
SELECT audit_table('wallets_reconciliation',
    left_out => '{compared,claimed_by,leased_until,attempts,finished_at,balances_at,provisional}');
