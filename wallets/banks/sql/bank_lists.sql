SELECT audit_table('wallets_banklist', record => 'currency_id', left_out => '{fetched_at}');
