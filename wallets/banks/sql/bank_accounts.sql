-- Bank records: only the function that posts the transfer of a withdrawal inserts them, which records its own
-- actor and time. Their guard needs the state of the withdrawal (withdrawals/sql/withdrawal_guard.sql).
REVOKE INSERT, DELETE ON wallets_bankaccount FROM exchange_runtime;
SELECT make_append_only('wallets_accountverification');
SELECT audit_table('wallets_bankaccount', about => 'organisation_id',
    left_out => '{document,words}', inserts => $$NOT recorded_by_function()$$);
