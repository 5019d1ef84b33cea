-- A bank record comes with its withdrawal, whose function inserts both (audited.sql).
SELECT audit_table('wallets_bankaccount', about => 'organisation_id',
    left_out => '{document,words}', inserts => $$NOT recorded_by_function()$$);
