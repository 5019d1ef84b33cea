"""What a provider's record of a transfer does to a withdrawal: settle, fail, keep, or flag.

Every function is safe to run twice and with an old record: the state is compared under the lock,
and one ledger reference closes a withdrawal once.
"""

from __future__ import annotations

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
    """Acts on what the provider says of the transfer.

    A record that is not of what we ordered (amount, currency, account) decides nothing: the
    withdrawal becomes Unknown and staff are told.
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
                _fail(withdrawal, record.complete_message or "refused by the bank", actor)
            else:
                PayoutRow(withdrawal_id).store_pending(record)
        elif withdrawal.status == WithdrawalStatus.COMPLETED:
            _monitor_completed(withdrawal, record)
        elif withdrawal.status == WithdrawalStatus.FAILED:
            _monitor_failed(withdrawal, record)


def fail_payout(withdrawal_id: UUID, *, reason: str, actor: Actor) -> None:
    """Processing or Unknown → Failed, escrow → available."""
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        if withdrawal.status in IN_FLIGHT:
            PayoutRow(withdrawal_id).close_failed()
            _fail(withdrawal, reason, actor)


def mark_unknown(withdrawal_id: UUID, *, error: str, not_found: bool) -> None:
    """Processing → Unknown: nobody can tell whether the money left. Schedules the next look."""
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
                message=f"The outcome of {withdrawal.reference} is not known: {error}",
            )


def record_inconclusive_check(
    withdrawal_id: UUID, *, expected_status: WithdrawalStatus, error: str = ""
) -> None:
    """A look-up that told nothing: counts it and schedules the next one.

    Does nothing once the withdrawal has left `expected_status`: its next step is already set.
    """
    with transaction.atomic():
        if lock_withdrawal(withdrawal_id).status == expected_status:
            PayoutRow(withdrawal_id).record_inconclusive_check(error)


def continue_monitoring(withdrawal_id: UUID, *, expected_status: WithdrawalStatus) -> None:
    """A closed payout the provider does not know now: the next look, while it is watched."""
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
        # The provider takes its charge out of what it holds for us.
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
    """What staff were told about the open question is settled."""
    resolve_alert("payout_unknown", subject=withdrawal.reference)
    resolve_alert("payout_differs", subject=withdrawal.reference)


def _monitor_completed(withdrawal: Withdrawal, record: TransferRecord) -> None:
    """A completed payout is looked up again for 30 days: the bank may return the money."""
    if record.status is TransferStatus.FAILED:
        raise_alert(
            "payout_returned",
            subject=withdrawal.reference,
            message=f"The bank returned {withdrawal.reference}: {record.complete_message}."
            " Two people must reverse it.",
        )
    PayoutRow(withdrawal.id).store_monitored(record)


def _monitor_failed(withdrawal: Withdrawal, record: TransferRecord) -> None:
    """The money was given back here; should the provider pay all the same, staff must know."""
    if record.status is not TransferStatus.FAILED:
        raise_alert(
            "paid_after_failure",
            subject=withdrawal.reference,
            message=f"{withdrawal.reference} failed here, but the provider has it as"
            f" {record.status}",
        )
    PayoutRow(withdrawal.id).store_monitored(record)


def _flag_mismatch(withdrawal: Withdrawal, record: TransferRecord, differences: str) -> None:
    PayoutRow(withdrawal.id).flag_mismatch(record, differences=differences)
    raise_alert(
        "payout_differs",
        subject=withdrawal.reference,
        message=f"The provider's record of {withdrawal.reference} differs: {differences}",
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
