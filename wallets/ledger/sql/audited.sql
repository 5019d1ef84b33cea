-- What is audited of wallets. Transfers, entries and decisions are append-only and name their
-- actors: they are their own audit, and balances are the sums of entries.

SELECT audit_table('wallets_configuration', record => 'key', left_out => '{updated_at}');
SELECT audit_table('wallets_deposit', about => 'organisation_id', left_out => '{owner_id}');

-- A request says itself who asked for it and when, and the runtime role can insert one by the
-- functions that post its transfer only. What those insert needs no other record; whatever else
-- inserts is audited.
SELECT audit_table('wallets_withdrawal', about => 'organisation_id',
    left_out => '{owner_id,updated_at,document}',
    inserts => $$NOT recorded_by_function()$$);
-- Likewise a bank record, which comes with its withdrawal.
SELECT audit_table('wallets_bankaccount', about => 'organisation_id',
    left_out => '{document,words}', inserts => $$NOT recorded_by_function()$$);

-- Claims, leases and the times of the next step are the workers' own.
SELECT audit_table('wallets_payout', record => 'withdrawal_id',
    left_out => '{claimed_by,leased_until,attempts,next_step_at,status_checks,last_not_found_at,
                  monitor_until,updated_at}');
SELECT audit_table('wallets_proposal', about => 'withdrawal_id');
SELECT audit_table('wallets_alert', left_out => '{occurrences}');
SELECT audit_table('wallets_banklist', record => 'currency_id', left_out => '{fetched_at}');

-- Written once by what they record; whatever touches them afterwards is audited.
SELECT audit_table('wallets_booksproof', inserts => NULL);
SELECT audit_table('wallets_providerevent', left_out => '{deliveries}', inserts => NULL);
SELECT audit_table('wallets_asset', inserts => NULL);
SELECT audit_table('wallets_account', about => 'organisation_id', left_out => '{balance,owner_id}',
    inserts => NULL);
