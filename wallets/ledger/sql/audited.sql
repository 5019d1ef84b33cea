-- Audited tables of wallets. Transfers, entries and decisions are append-only and name their actors,
-- so they need no audit; balances are sums of entries.

SELECT audit_table('wallets_configuration', record => 'key', left_out => '{updated_at}');

-- A withdrawal records its own actor and time, and the runtime role inserts one only through the
-- functions that post its transfer. Other inserts are audited.
SELECT audit_table('wallets_withdrawal', about => 'organisation_id',
    left_out => '{owner_id,updated_at,document}',
    inserts => $$NOT recorded_by_function()$$);
-- The same holds for bank records, which are inserted with their withdrawal.
SELECT audit_table('wallets_bankaccount', about => 'organisation_id',
    left_out => '{document,words}', inserts => $$NOT recorded_by_function()$$);

-- Claims, leases and schedules of workers are not audited.
SELECT audit_table('wallets_payout', record => 'withdrawal_id',
    left_out => '{claimed_by,leased_until,attempts,next_step_at,status_checks,last_not_found_at,
                  monitor_until,updated_at}');
SELECT audit_table('wallets_proposal', about => 'withdrawal_id');
SELECT audit_table('wallets_alert', left_out => '{occurrences}');
SELECT audit_table('wallets_banklist', record => 'currency_id', left_out => '{fetched_at}');

-- Inserts record themselves; later changes are audited.
SELECT keep_columns('wallets_booksproof', '{id,ran_at,incremental,passed,findings,milliseconds,totals,
    totals_before}');
SELECT audit_table('wallets_booksproof', inserts => NULL);
SELECT audit_table('wallets_providerevent', left_out => '{deliveries}', inserts => NULL);
SELECT audit_table('wallets_asset', inserts => NULL);
SELECT audit_table('wallets_account', about => 'organisation_id', left_out => '{balance,owner_id}',
    inserts => NULL);
