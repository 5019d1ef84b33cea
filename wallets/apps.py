"""App configuration of `wallets`, with the SQL it installs."""

from exchange.core import sqlfiles


class WalletsConfig(sqlfiles.SqlAppConfig):
    name = "wallets"
    verbose_name = "Wallets"
    commands = (
        "withdrawals.RequestWithdrawal",
        "transfers.TransferMoney",
        "conversions.QuoteConversion",
        "conversions.ConvertMoney",
    )
    sql_parts = (
        "ledger/account_start",
        "ledger/ordered_ids",
        "ledger/ledger_guard",
        "ledger/transfer_rules",
        "ledger/transfer_guard",
        "ledger/open_account",
        "ledger/post_transfers",
        "closing/close_accounts",
        "holds/owner_block",
        "withdrawals/withdrawal_transitions",
        "withdrawals/withdrawal_guard",
        "withdrawals/withdrawal_events",
        "fees/setting_changes",
        "withdrawals/withdrawal_settings",
        "ledger/grants",
        "ledger/checkpoint",
        "withdrawals/reject_withdrawal",
        "withdrawals/request_withdrawals",
        "transfers/wallet_transfer_justified",
        "transfers/transfer_money",
        "conversions/conversion_guard",
        "conversions/quote_conversion",
        "conversions/convert_money",
        "ledger/token_units",
        "ledger/audited",
        "reconciliation/reconciliation",
        "reconciliation/reconciliation_breaks",
        "holds/freeze_guard",
        "ledger/reference_keys",
        "deposits/deposit_guard",
        "deposits/deposit_transfers",
        "receivables/receivable_guard",
        "receivables/write_offs",
        "treasury/treasury_guard",
        "treasury/move_treasury",
        "ledger/two_person",
        "payouts/payout_circuit",
        "withdrawals/approval_requirement",
    )
    stored_documents = (
        "withdrawals.BANK",
        "withdrawals.WITHDRAWAL",
        "transfers.WALLET_TRANSFER",
        "conversions.CONVERSION_QUOTE",
        "conversions.CONVERSION",
        "deposits.DEPOSIT",
        "deposits.VIRTUAL_ACCOUNT",
    )
