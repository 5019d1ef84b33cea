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
        "alerts/alerts",
        "providers/provider_events",
        "ledger/account_start",
        "ledger/ordered_ids",
        "ledger/ledger_guard",
        "ledger/closed_months",
        "ledger/transfer_rules",
        "ledger/transfer_guard",
        "ledger/open_account",
        "ledger/post_transfers",
        "ledger/checkpoint",
        "ledger/token_units",
        "ledger/reference_keys",
        "ledger/positions",
        "freezes/owner_block",
        "freezes/freeze_guard",
        "banks/bank_lists",
        "banks/bank_accounts",
        "fees/setting_changes",
        "fees/withdrawal_settings",
        "receivables/receivable_guard",
        "receivables/debt_events",
        "receivables/repayments",
        "receivables/write_offs",
        "conversions/conversion_guard",
        "conversions/quote_conversion",
        "conversions/convert_money",
        "deposits/deposit_guard",
        "deposits/deposit_transfers",
        "transfers/wallet_transfer_justified",
        "transfers/transfer_money",
        "treasury/treasury_guard",
        "treasury/move_treasury",
        "withdrawals/withdrawal_transitions",
        "withdrawals/withdrawal_guard",
        "withdrawals/withdrawal_events",
        "withdrawals/bulk_approvals",
        "withdrawals/reject_withdrawal",
        "withdrawals/request_withdrawals",
        "withdrawals/approval_requirement",
        "withdrawals/transfer_rules",
        "closing/close_accounts",
        "payouts/proposals",
        "payouts/payout_circuit",
        "reconciliation/reconciliation",
        "reconciliation/reconciliation_breaks",
        "reconciliation/payouts_on_hold",
        "adjustments/adjusting_entries",
        "bank_statements/bank_statements",
    )
    stored_documents = (
        "banks.BANK",
        "withdrawals.WITHDRAWAL",
        "transfers.WALLET_TRANSFER",
        "conversions.CONVERSION_QUOTE",
        "conversions.CONVERSION",
        "deposits.DEPOSIT",
        "deposits.VIRTUAL_ACCOUNT",
    )
