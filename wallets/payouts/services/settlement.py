"""Settlement: apply the provider's record of a transfer to a withdrawal.

Every function is safe to run twice and with an outdated record: the state is compared under the
lock, and a ledger reference closes each withdrawal once.
"""

from decimal import Decimal
from uuid import UUID

import structlog
from django.db import transaction

from exchange.core.actors import Actor
from exchange.core.currencies import currencies
from exchange.core.numbers import format_plain, round_half_even
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account, wallet_account
from wallets.payouts.services.payout_row import PayoutRow
from wallets.providers.base import TransferRecord, TransferStatus
from wallets.withdrawals.models import IN_FLIGHT, Withdrawal, WithdrawalStatus
from wallets.withdrawals.services.transitions import change_status, lock_withdrawal, release_escrow

log = structlog.get_logger(__name__)


def apply_record(withdrawal_id: UUID, record: TransferRecord, *, actor: Actor) -> None:
    """Settle, fail or monitor the withdrawal according to the provider's record.

    A record that differs from the payment instruction (amount, currency, account) makes the
    withdrawal Unknown and raises an alert.
    """
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        if withdrawal.status in IN_FLIGHT:
            differences = _describe_differences(withdrawal, record)
            if differences:
                _flag_mismatch(withdrawal, record, differences)
            elif record.status is TransferStatus.SUCCESSFUL:
                _settle(withdrawal, record, actor)
            elif record.status is TransferStatus.FAILED:
                PayoutRow(withdrawal_id).store_record(record, next_step_at=None)
                _fail(withdrawal, record.complete_message or "declined by the bank", actor)
            else:
                PayoutRow(withdrawal_id).store_pending(record)
        elif withdrawal.status == WithdrawalStatus.COMPLETED:
            _monitor_completed(withdrawal, record)
        elif withdrawal.status in (WithdrawalStatus.FAILED, WithdrawalStatus.REVERSED):
            _monitor_given_back(withdrawal, record)


def fail_payout(withdrawal_id: UUID, *, reason: str, actor: Actor) -> None:
    """Mark a withdrawal in flight Failed and release its escrow."""
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        if withdrawal.status in IN_FLIGHT:
            PayoutRow(withdrawal_id).close_failed()
            _fail(withdrawal, reason, actor)


def mark_unknown(withdrawal_id: UUID, *, error: str, not_found: bool) -> None:
    """Mark a withdrawal in flight Unknown and schedule the next status check."""
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        if withdrawal.status not in IN_FLIGHT:
            return
        PayoutRow(withdrawal_id).record_unknown(error, not_found=not_found)
        if withdrawal.status == WithdrawalStatus.PROCESSING:
            change_status(
                withdrawal,
                from_statuses=(WithdrawalStatus.PROCESSING,),
                to=WithdrawalStatus.UNKNOWN,
            )
            raise_alert(
                "payout_unknown",
                subject=withdrawal.reference,
                message=f"The outcome of {withdrawal.reference} is unknown: {error}",
            )


def record_inconclusive_check(
    withdrawal_id: UUID, *, expected_status: WithdrawalStatus, error: str = ""
) -> None:
    """Count an inconclusive status check and schedule the next one.

    Does nothing once the withdrawal has left `expected_status`: its next step is already set.
    """
    with transaction.atomic():
        if lock_withdrawal(withdrawal_id).status == expected_status:
            PayoutRow(withdrawal_id).record_inconclusive_check(error)


def continue_monitoring(withdrawal_id: UUID, *, expected_status: WithdrawalStatus) -> None:
    """Schedule the next monitoring check of a closed payout that was not found."""
    with transaction.atomic():
        if lock_withdrawal(withdrawal_id).status == expected_status:
            PayoutRow(withdrawal_id).continue_monitoring()


def _settle(withdrawal: Withdrawal, record: TransferRecord, actor: Actor) -> None:
    currency = withdrawal.currency_id
    legs = [
        Leg(wallet_account(withdrawal, AccountKind.ESCROW), -withdrawal.amount),
        Leg(system_account(currency, AccountKind.CLEARING), withdrawal.disburse_amount),
    ]
    if withdrawal.fee:
        legs.append(Leg(system_account(currency, AccountKind.FEES), withdrawal.fee))
    post_transfer(
        kind=TransferKind.WITHDRAWAL_SETTLE,
        reference=f"withdrawal:{withdrawal.id}:close",
        subject_id=withdrawal.id,
        actor=actor,
        memo=withdrawal.reference,
        legs=legs,
    )
    charge = round_half_even(record.fee, currencies()[currency].decimals)
    if charge > 0:
        # The provider deducts its charge from our float.
        post_transfer(
            kind=TransferKind.PROVIDER_CHARGE,
            reference=f"withdrawal:{withdrawal.id}:charge",
            subject_id=withdrawal.id,
            actor=actor,
            memo=withdrawal.reference,
            legs=[
                Leg(system_account(currency, AccountKind.EXPENSES), -charge),
                Leg(system_account(currency, AccountKind.CLEARING), charge),
            ],
        )
    PayoutRow(withdrawal.id).store_settled(record, charge=max(charge, Decimal(0)))
    _resolve_outcome_alerts(withdrawal)
    change_status(withdrawal, from_statuses=IN_FLIGHT, to=WithdrawalStatus.COMPLETED)


def _fail(withdrawal: Withdrawal, reason: str, actor: Actor) -> None:
    release_escrow(withdrawal, actor=actor, memo=f"failed: {reason}")
    _resolve_outcome_alerts(withdrawal)
    change_status(
        withdrawal, from_statuses=IN_FLIGHT, to=WithdrawalStatus.FAILED, reason=reason[:500]
    )


def _resolve_outcome_alerts(withdrawal: Withdrawal) -> None:
    """Resolve the alerts about an unknown outcome."""
    resolve_alert("payout_unknown", subject=withdrawal.reference)
    resolve_alert("payout_differs", subject=withdrawal.reference)


def _monitor_completed(withdrawal: Withdrawal, record: TransferRecord) -> None:
    """Store the record of a completed payout; raise an alert if the bank returned it."""
    if record.status is TransferStatus.FAILED:
        raise_alert(
            "payout_returned",
            subject=withdrawal.reference,
            message=f"The bank returned {withdrawal.reference}: {record.complete_message}."
            " Reversal requires dual approval.",
        )
    PayoutRow(withdrawal.id).store_monitored(record)


def _monitor_given_back(withdrawal: Withdrawal, record: TransferRecord) -> None:
    """Store the record of a failed or reversed payout; raise an alert if the provider paid it."""
    if record.status is not TransferStatus.FAILED:
        raise_alert(
            "paid_after_failure",
            subject=withdrawal.reference,
            message=f"{withdrawal.reference} is {withdrawal.status} and its amount was released,"
            f" but the provider reports {record.status}",
        )
    PayoutRow(withdrawal.id).store_monitored(record)


def _flag_mismatch(withdrawal: Withdrawal, record: TransferRecord, differences: str) -> None:
    PayoutRow(withdrawal.id).flag_mismatch(record, differences=differences)
    raise_alert(
        "payout_differs",
        subject=withdrawal.reference,
        message=f"The provider's record of {withdrawal.reference} does not match: {differences}",
    )
    if withdrawal.status == WithdrawalStatus.PROCESSING:
        change_status(
            withdrawal, from_statuses=(WithdrawalStatus.PROCESSING,), to=WithdrawalStatus.UNKNOWN
        )


def _describe_differences(withdrawal: Withdrawal, record: TransferRecord) -> str:
    bank = withdrawal.bank
    pairs = [
        ("reference", withdrawal.reference, record.reference),
        ("amount", format_plain(withdrawal.disburse_amount), format_plain(record.amount)),
        ("currency", withdrawal.currency_id, record.currency),
        ("account", bank.account_number, record.account_number or bank.account_number),
    ]
    return ", ".join(
        f"{name} {theirs} instead of {ours}" for name, ours, theirs in pairs if ours != theirs
    )
