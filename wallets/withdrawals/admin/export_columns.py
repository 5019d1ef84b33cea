"""Columns of exported withdrawals."""

from decimal import Decimal
from typing import Any

from exchange.admin.references import format_metadata
from exchange.exports.sheets import SheetColumn
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


WITHDRAWALS: tuple[SheetColumn, ...] = (
    SheetColumn("Reference", lambda w: w.reference),
    SheetColumn("Status", status_label),
    SheetColumn("Created (UTC)", lambda w: w.created_at),
    SheetColumn("Organisation", lambda w: w.organisation.name),
    SheetColumn("Owner", owner_of),
    SheetColumn("Owner type", kind_of_owner),
    SheetColumn("Owner ID", lambda w: str(w.owner_id)),
    SheetColumn("Currency", lambda w: w.currency_id),
    SheetColumn("Amount", lambda w: w.amount),
    SheetColumn("Fee", lambda w: w.fee),
    SheetColumn("Net to bank", lambda w: w.disburse_amount),
    SheetColumn("Paid out", paid_out),
    SheetColumn("Amount in USD", lambda w: w.gusd_amount),
    SheetColumn("Bank", lambda w: w.bank.name),
    SheetColumn("Bank code", lambda w: w.bank.code),
    SheetColumn("Account number", lambda w: w.bank.account_number),
    SheetColumn("Account name", lambda w: w.bank.account_name),
    SheetColumn("Name provided", lambda w: w.bank.provided_name),
    SheetColumn("Decided (UTC)", lambda w: w.actioned_on),
    SheetColumn("Decided by", lambda w: w.actioned_by),
    SheetColumn("First approval", lambda w: name_of(w.first_approver)),
    SheetColumn("Second approval", lambda w: name_of(w.second_approver)),
    SheetColumn("Reason", lambda w: w.reason),
    SheetColumn("Sent (UTC)", _payout_value("posted_at")),
    SheetColumn("Settled (UTC)", _payout_value("settled_at")),
    SheetColumn("Provider ID", _payout_value("provider_id")),
    SheetColumn("Provider's status", _payout_value("provider_status")),
    SheetColumn("Provider's charge", _payout_value("provider_fee")),
    SheetColumn("Withdrawal ID", lambda w: str(w.pk)),
    SheetColumn("Client reference", lambda w: w.client_reference),
    SheetColumn("Metadata", lambda w: format_metadata(w.metadata)),
)
