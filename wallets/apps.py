"""App configuration of `wallets`, with the SQL it installs."""

from exchange.core import sqlfiles


class WalletsConfig(sqlfiles.SqlAppConfig):
    name = "wallets"
    verbose_name = "Wallets"
    commands = ("withdrawals.RequestWithdrawal",)
    sql_parts = (
        "ledger/account_start",
        "ledger/ordered_ids",
        "ledger/ledger_guard",
        "ledger/transfer_rules",
        "ledger/transfer_guard",
        "ledger/open_account",
        "ledger/post_transfers",
        "withdrawals/withdrawal_transitions",
        "withdrawals/withdrawal_guard",
        "withdrawals/withdrawal_events",
        "fees/setting_changes",
        "withdrawals/withdrawal_settings",
        "ledger/grants",
        "ledger/checkpoint",
        "withdrawals/hold_withdrawals",
        "withdrawals/request_withdrawal",
        "ledger/token_units",
        "ledger/audited",
        "reconciliation/reconciliation",
        "reconciliation/reconciliation_breaks",
        "deposits/deposit_entry",
        "ledger/two_person",
        "payouts/payout_circuit",
        "withdrawals/approval_requirement",
    )
    stored_documents = ("withdrawals.BANK", "withdrawals.WITHDRAWAL")
