-- Restrictions of the runtime role outside the ledger (see ledger_guard.sql).
REVOKE INSERT, DELETE ON wallets_withdrawal, wallets_bankaccount FROM exchange_runtime;
REVOKE DELETE ON wallets_proposal, wallets_payout, wallets_configuration,
    wallets_providerevent, wallets_booksproof, wallets_alert FROM exchange_runtime;
REVOKE INSERT, UPDATE, DELETE ON wallets_asset FROM exchange_runtime;
