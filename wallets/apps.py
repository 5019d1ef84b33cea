"""Registers `wallets` with Django, and says what SQL it installs."""

from exchange.core import sqlfiles


class WalletsConfig(sqlfiles.SqlAppConfig):
    name = "wallets"
    verbose_name = "Wallets"
    sql_parts = (
        "account_start",
        "ordered_ids",
        "ledger_guard",
        "transfer_rules",
        "transfer_guard",
        "open_account",
        "post_transfers",
        "withdrawal_transitions",
        "withdrawal_guard",
        "withdrawal_events",
        "configuration_figures",
        "withdrawal_figures",
        "grants",
        "hold_withdrawals",
        "request_withdrawal",
        "token_units",
        "audited",
        "reconciliation",
        "reconciliation_breaks",
        "deposit_entry",
        "two_person",
        "payout_circuit",
        "approval_requirement",
    )
    stored_documents = ("BANK", "WITHDRAWAL")
