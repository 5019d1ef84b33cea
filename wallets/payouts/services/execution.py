"""Payout execution: pay an approved withdrawal through the provider at most once.

    claim      Approved → Processing, with a lease           (transaction, committed)
    mark       "about to post", under the same lease         (transaction, committed)
    post       provider.transfer(reference)                  (no transaction)
    settle     Completed, Failed with release, or unchanged  (transaction)

A worker that crashes before *mark* has sent nothing. After *mark* it may have paid, so the next
worker checks the status by reference and never posts again on its own. A timeout makes the
withdrawal Unknown until a status check or dual approval resolves it. Provider webhooks only
expedite a status check. While the provider fails nothing is posted (`circuit`), nor during a hold
(`holds`), nor for an owner who is frozen or owes (`wallets.freezes`). A payout requested before a
hold ended is looked for at the provider before it is posted: after a restore it may have been sent.
"""

from typing import NamedTuple
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.core import leases
from exchange.core.actors import Actor
from exchange.core.database import violated_constraint
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.freezes.selectors import find_block
from wallets.freezes.services import lock_owners
from wallets.payouts.services import circuit, holds
from wallets.payouts.services.payout_row import PayoutRow
from wallets.payouts.services.settlement import (
    apply_record,
    continue_monitoring,
    fail_payout,
    mark_unknown,
    record_inconclusive_check,
)
from wallets.providers.base import (
    DuplicateReference,
    InsufficientFloat,
    NeverSent,
    OutcomeUnknown,
    ProviderError,
    RecipientDeclined,
    TransferRecord,
)
from wallets.providers.registry import payment_provider
from wallets.withdrawals.models import (
    IN_FLIGHT,
    MAY_CHANGE_LATER,
    Payout,
    Withdrawal,
    WithdrawalStatus,
)
from wallets.withdrawals.services.transfer_requests import transfer_request
from wallets.withdrawals.services.transitions import change_status, lock_withdrawal

log = structlog.get_logger(__name__)

_ACTOR = Actor.system("payouts")
# Delay before resending a transfer that was not accepted.
_RETRY_SECONDS = 60
_FLOAT_RETRY_SECONDS = 300
# By the constraint that refused to mark a payout.
_OWNER_BLOCKED = "payout_owner_blocked"
_REFUSALS = {
    "payout_circuit_open": "payouts are on hold",
    _OWNER_BLOCKED: "the owner is frozen or owes an amount",
}


def send_payout(withdrawal_id: UUID) -> None:
    """Claim an Approved withdrawal and post its payout. Safe to run twice."""
    claim = _claim(withdrawal_id)
    if claim is None:
        return
    # An earlier worker may have posted.
    if claim.check_first:
        _verify_outcome(withdrawal_id, "the worker that posted it did not finish")
        return
    _post(withdrawal_id, claim.token)


class _Claim(NamedTuple):
    token: str
    check_first: bool


def _claim(withdrawal_id: UUID) -> _Claim | None:
    """Move Approved to Processing under a lease, or take over an expired lease."""
    now = timezone.now()
    row = PayoutRow(withdrawal_id)
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        payout = row.query.filter(leases.available(now)).first()
        if payout is None:
            return None
        if withdrawal.status == WithdrawalStatus.APPROVED:
            if payout.next_step_at is not None and payout.next_step_at > now:
                return None  # scheduled for a later retry
            if not _may_be_claimed(withdrawal):
                return None
            change_status(
                withdrawal,
                from_statuses=(WithdrawalStatus.APPROVED,),
                to=WithdrawalStatus.PROCESSING,
                # Only the first attempt emits an event.
                emit=payout.attempts == 0,
            )
        elif withdrawal.status != WithdrawalStatus.PROCESSING or payout.provider_id:
            return None
        elif payout.posted_at is None and not _may_be_claimed(withdrawal):
            # A worker crashed before posting, so nothing was sent.
            _requeue_unsent(withdrawal_id)
            return None
        token = row.claim()
        return None if token is None else _Claim(token, check_first=payout.posted_at is not None)


def _may_be_claimed(withdrawal: Withdrawal) -> bool:
    return not find_block(withdrawal) and circuit.acquire_permit(withdrawal.id)


def _post(withdrawal_id: UUID, token: str) -> None:
    withdrawal = (
        Withdrawal.objects.select_related("bank")
        .annotate(may_be_sent=holds.released_since_request())
        .get(id=withdrawal_id)
    )
    request = transfer_request(withdrawal)
    if withdrawal.may_be_sent and _apply_earlier_transfer(withdrawal, token):
        return
    if not _mark_posting(withdrawal, token):
        return
    try:
        record = payment_provider().transfer(request)
    except NeverSent as error:
        circuit.record_failure(withdrawal_id, error=str(error))
        _requeue(withdrawal_id, token, str(error), _RETRY_SECONDS)
    except InsufficientFloat as error:
        circuit.record_response(withdrawal_id)
        _requeue(withdrawal_id, token, str(error), _FLOAT_RETRY_SECONDS)
        raise_alert(
            "float",
            subject=withdrawal.currency_id,
            message=f"Insufficient {withdrawal.currency_id} float at the provider for"
            f" {withdrawal.reference}: {error}",
        )
    except RecipientDeclined as error:
        circuit.record_response(withdrawal_id)
        _handle_declined(withdrawal, str(error))
    except DuplicateReference as error:
        circuit.record_response(withdrawal_id)
        _verify_outcome(withdrawal_id, str(error))
    except OutcomeUnknown as error:
        log.warning("payout_outcome_unknown", withdrawal=str(withdrawal_id), error=str(error))
        circuit.record_failure(
            withdrawal_id, error=str(error), outage=error.outage, retry_after=error.retry_after
        )
        _verify_outcome(withdrawal_id, str(error))
    else:
        circuit.record_acceptance(withdrawal_id)
        resolve_alert("float", subject=withdrawal.currency_id)
        apply_record(withdrawal_id, record, actor=_ACTOR)


def _apply_earlier_transfer(withdrawal: Withdrawal, token: str) -> bool:
    """Apply the transfer that was sent before a hold; return whether nothing is left to post."""
    try:
        record = payment_provider().find_transfer(withdrawal.reference)
    except ProviderError as error:
        circuit.record_failure(withdrawal.id, error=str(error), retry_after=error.retry_after)
        _requeue(withdrawal.id, token, str(error), _RETRY_SECONDS)
        return True
    if record is None:
        return False
    circuit.record_response(withdrawal.id)
    apply_record(withdrawal.id, record, actor=_ACTOR)
    return True


def _mark_posting(withdrawal: Withdrawal, token: str) -> bool:
    """Record that the payout is about to be posted; return False if it must not be."""
    try:
        with transaction.atomic():
            lock_owners(withdrawal.owner_id)
            # False if the lease has run out or soon will.
            return PayoutRow(withdrawal.id).mark_posted(token)
    except IntegrityError as error:
        constraint = violated_constraint(error)
        if constraint not in _REFUSALS:
            raise
        # The circuit opened, or the owner was blocked, after the claim.
        _requeue(withdrawal.id, token, _REFUSALS[constraint], 0)
        if constraint == _OWNER_BLOCKED:
            circuit.release_permit(withdrawal.id)
        return False


def _handle_declined(withdrawal: Withdrawal, reason: str) -> None:
    """Fail the payout, unless an earlier attempt under the same reference was accepted."""
    if Payout.objects.filter(withdrawal_id=withdrawal.id, attempts__gt=1).exists():
        try:
            record = payment_provider().find_transfer(withdrawal.reference)
        except ProviderError as error:
            mark_unknown(withdrawal.id, error=f"{reason}; {error}", not_found=False)
            return
        if record is not None:
            apply_record(withdrawal.id, record, actor=_ACTOR)
            return
    fail_payout(withdrawal.id, reason=reason, actor=_ACTOR)


def check_status(withdrawal_id: UUID) -> None:
    """Query the transfer at the provider and apply the result. Safe to run at any time.

    Never posts. A withdrawal that is Processing under a live lease is unchanged unless the
    provider already knows its transfer.
    """
    withdrawal = Withdrawal.objects.select_related("payout").filter(id=withdrawal_id).first()
    if withdrawal is None or withdrawal.status not in {*IN_FLIGHT, *MAY_CHANGE_LATER}:
        return
    payout = withdrawal.payout
    expected_status = WithdrawalStatus(withdrawal.status)
    try:
        record = payment_provider().find_transfer(withdrawal.reference)
    except ProviderError as error:
        circuit.back_off(error.retry_after)
        record_inconclusive_check(withdrawal_id, expected_status=expected_status, error=str(error))
        if withdrawal.status == WithdrawalStatus.PROCESSING and not payout.provider_id:
            _mark_unknown_unless_leased(withdrawal_id, str(error))
        return
    if record is not None:
        apply_record(withdrawal_id, record, actor=_ACTOR)
        return
    if withdrawal.status == WithdrawalStatus.COMPLETED:
        raise_alert(
            "payout_vanished",
            subject=withdrawal.reference,
            message=f"The provider no longer finds {withdrawal.reference}, which it completed",
        )
    if withdrawal.status in MAY_CHANGE_LATER:
        continue_monitoring(withdrawal_id, expected_status=expected_status)
        return
    if withdrawal.status == WithdrawalStatus.PROCESSING and payout.posted_at is None:
        _requeue_unsent(withdrawal_id)
        return
    _mark_unknown_unless_leased(
        withdrawal_id, "the provider does not know the reference", not_found=True
    )


def _verify_outcome(withdrawal_id: UUID, error: str) -> None:
    """Check the status once after an unclear post; mark Unknown if it stays unclear.

    During a Retry-After of the provider the check is scheduled for later.
    """
    record: TransferRecord | None = None
    not_found = False
    withdrawal = Withdrawal.objects.get(id=withdrawal_id)
    if circuit.is_backing_off():
        mark_unknown(withdrawal_id, error=error, not_found=False)
        return
    try:
        record = payment_provider().find_transfer(withdrawal.reference)
        not_found = record is None
    except ProviderError as again:
        circuit.back_off(again.retry_after)
        error = f"{error}; {again}"
    if record is not None:
        apply_record(withdrawal_id, record, actor=_ACTOR)
    else:
        mark_unknown(withdrawal_id, error=error, not_found=not_found)


def _mark_unknown_unless_leased(
    withdrawal_id: UUID, error: str, *, not_found: bool = False
) -> None:
    leased = Payout.objects.filter(
        leases.leased(timezone.now()),
        withdrawal_id=withdrawal_id,
        withdrawal__status=WithdrawalStatus.PROCESSING,
    ).exists()
    if not leased:
        mark_unknown(withdrawal_id, error=error, not_found=not_found)


def _requeue(withdrawal_id: UUID, token: str, error: str, seconds: int) -> None:
    """Return a transfer that was not accepted to Approved, to retry after `seconds`."""
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        if PayoutRow(withdrawal_id).requeue(token, error=error, seconds=seconds):
            _restore_approved(withdrawal)


def _requeue_unsent(withdrawal_id: UUID) -> None:
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        if PayoutRow(withdrawal_id).requeue_unsent():
            _restore_approved(withdrawal)


def _restore_approved(withdrawal: Withdrawal) -> None:
    if withdrawal.status == WithdrawalStatus.PROCESSING:
        change_status(
            withdrawal,
            from_statuses=(WithdrawalStatus.PROCESSING,),
            to=WithdrawalStatus.APPROVED,
            emit=False,
        )
