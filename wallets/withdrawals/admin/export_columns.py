"""Columns of exported withdrawals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from exchange.admin.references import format_metadata
from exchange.exports.sheets import Column
from wallets.ledger.admin.export_columns import kind_of_owner, name_of, owner_of
from wallets.withdrawals.admin.show import get_payout, is_returned, status_label
from wallets.withdrawals.models import Withdrawal, WithdrawalStatus


def paid_out(withdrawal: Withdrawal) -> Decimal | None:
    """Return the net amount paid out, or None if not paid or returned."""
    paid = withdrawal.status == WithdrawalStatus.COMPLETED and not is_returned(withdrawal)
    return withdrawal.disburse_amount if paid else None


def _payout_value(name: str) -> Any:
    def value(withdrawal: Withdrawal) -> Any:
        payout = get_payout(withdrawal)
        return None if payout is None else getattr(payout, name)

    return value


WITHDRAWALS: tuple[Column, ...] = (
    Column("Reference", lambda w: w.reference),
    Column("Status", status_label),
    Column("Created (UTC)", lambda w: w.created_at),
    Column("Organisation", lambda w: w.organisation.name),
    Column("Owner", owner_of),
    Column("Owner type", kind_of_owner),
    Column("Owner ID", lambda w: str(w.owner_id)),
    Column("Currency", lambda w: w.currency_id),
    Column("Amount", lambda w: w.amount),
    Column("Fee", lambda w: w.fee),
    Column("Net to bank", lambda w: w.disburse_amount),
    Column("Paid out", paid_out),
    Column("Amount in USD", lambda w: w.gusd_amount),
    Column("Bank", lambda w: w.bank.name),
    Column("Bank code", lambda w: w.bank.code),
    Column("Account number", lambda w: w.bank.account_number),
    Column("Account name", lambda w: w.bank.account_name),
    Column("Name provided", lambda w: w.bank.provided_name),
    Column("Decided (UTC)", lambda w: w.actioned_on),
    Column("Decided by", lambda w: w.actioned_by),
    Column("First approval", lambda w: name_of(w.first_approver)),
    Column("Second approval", lambda w: name_of(w.second_approver)),
    Column("Reason", lambda w: w.reason),
    Column("Sent (UTC)", _payout_value("posted_at")),
    Column("Settled (UTC)", _payout_value("settled_at")),
    Column("Provider ID", _payout_value("provider_id")),
    Column("Provider's status", _payout_value("provider_status")),
    Column("Provider's charge", _payout_value("provider_fee")),
    Column("Withdrawal ID", lambda w: str(w.pk)),
    Column("Client reference", lambda w: w.client_reference),
    Column("Metadata", lambda w: format_metadata(w.metadata)),
)
