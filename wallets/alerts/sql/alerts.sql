REVOKE DELETE ON wallets_alert FROM exchange_runtime;
SELECT audit_table('wallets_alert', left_out => '{occurrences}');
