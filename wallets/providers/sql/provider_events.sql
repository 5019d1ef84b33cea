-- What the provider reported; inserts record themselves.
REVOKE DELETE ON wallets_providerevent FROM exchange_runtime;
SELECT audit_table('wallets_providerevent', left_out => '{deliveries}', inserts => NULL);
