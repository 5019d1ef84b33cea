"""Columns of exported payouts."""

from exchange.exports.sheets import SheetColumn
from wallets.ledger.admin.export_columns import kind_of_owner, owner_of
from wallets.withdrawals.admin.export_columns import paid_out
from wallets.withdrawals.admin.show import status_label

PAYOUTS: tuple[SheetColumn, ...] = (
    SheetColumn("Reference", lambda p: p.withdrawal.reference),
    SheetColumn("Status", lambda p: status_label(p.withdrawal)),
    SheetColumn("Created (UTC)", lambda p: p.created_at),
    SheetColumn("Organisation", lambda p: p.withdrawal.organisation.name),
    SheetColumn("Owner", lambda p: owner_of(p.withdrawal)),
    SheetColumn("Owner type", lambda p: kind_of_owner(p.withdrawal)),
    SheetColumn("Owner ID", lambda p: str(p.withdrawal.owner_id)),
    SheetColumn("Currency", lambda p: p.withdrawal.currency_id),
    SheetColumn("Amount", lambda p: p.withdrawal.amount),
    SheetColumn("Fee", lambda p: p.withdrawal.fee),
    SheetColumn("Net to bank", lambda p: p.withdrawal.disburse_amount),
    SheetColumn("Paid out", lambda p: paid_out(p.withdrawal)),
    SheetColumn("Bank", lambda p: p.withdrawal.bank.name),
    SheetColumn("Bank code", lambda p: p.withdrawal.bank.code),
    SheetColumn("Account number", lambda p: p.withdrawal.bank.account_number),
    SheetColumn("Account name", lambda p: p.withdrawal.bank.account_name),
    SheetColumn("Sent (UTC)", lambda p: p.posted_at),
    SheetColumn("Settled (UTC)", lambda p: p.settled_at),
    SheetColumn("Provider ID", lambda p: p.provider_id),
    SheetColumn("Provider's status", lambda p: p.provider_status),
    SheetColumn("Provider's charge", lambda p: p.provider_fee),
    SheetColumn("Provider's message", lambda p: p.provider_message),
    SheetColumn("Attempts", lambda p: p.attempts),
    SheetColumn("Last error", lambda p: p.last_error),
    SheetColumn("Next status check (UTC)", lambda p: p.next_step_at),
    SheetColumn("Withdrawal ID", lambda p: str(p.withdrawal_id)),
)
