"""Columns of exported payouts."""

from __future__ import annotations

from exchange.exports.sheets import Column
from wallets.ledger.admin.export_columns import kind_of_owner, owner_of
from wallets.withdrawals.admin.export_columns import paid_out
from wallets.withdrawals.admin.show import status_label

PAYOUTS: tuple[Column, ...] = (
    Column("Reference", lambda p: p.withdrawal.reference),
    Column("Status", lambda p: status_label(p.withdrawal)),
    Column("Created (UTC)", lambda p: p.created_at),
    Column("Organisation", lambda p: p.withdrawal.organisation.name),
    Column("Owner", lambda p: owner_of(p.withdrawal)),
    Column("Owner type", lambda p: kind_of_owner(p.withdrawal)),
    Column("Owner ID", lambda p: str(p.withdrawal.owner_id)),
    Column("Currency", lambda p: p.withdrawal.currency_id),
    Column("Amount", lambda p: p.withdrawal.amount),
    Column("Fee", lambda p: p.withdrawal.fee),
    Column("Net to bank", lambda p: p.withdrawal.disburse_amount),
    Column("Paid out", lambda p: paid_out(p.withdrawal)),
    Column("Bank", lambda p: p.withdrawal.bank.name),
    Column("Bank code", lambda p: p.withdrawal.bank.code),
    Column("Account number", lambda p: p.withdrawal.bank.account_number),
    Column("Account name", lambda p: p.withdrawal.bank.account_name),
    Column("Sent (UTC)", lambda p: p.posted_at),
    Column("Settled (UTC)", lambda p: p.settled_at),
    Column("Provider ID", lambda p: p.provider_id),
    Column("Provider's status", lambda p: p.provider_status),
    Column("Provider's charge", lambda p: p.provider_fee),
    Column("Provider's message", lambda p: p.provider_message),
    Column("Attempts", lambda p: p.attempts),
    Column("Last error", lambda p: p.last_error),
    Column("Next status check (UTC)", lambda p: p.next_step_at),
    Column("Withdrawal ID", lambda p: str(p.withdrawal_id)),
)
