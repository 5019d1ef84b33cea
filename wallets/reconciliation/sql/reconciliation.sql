-- A report is written once: its lines by nobody anew, and what it was asked about stays.
SELECT make_append_only('wallets_reconciliationline');
REVOKE DELETE, UPDATE ON wallets_reconciliation FROM exchange_runtime;
GRANT UPDATE (status, reason, differences, compared, claimed_by, leased_until, attempts, finished_at,
    balances_at) ON wallets_reconciliation TO exchange_runtime;
SELECT audit_table('wallets_reconciliation',
    left_out => '{compared,claimed_by,leased_until,attempts,finished_at,balances_at,provisional}');
