"""Resolution of payouts under dual control: one person proposes, another confirms or declines.

An unresolved payout is sent again or failed, one returned by the bank is reversed, and one not
sent yet is returned to the wallet.
"""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from exchange.core import task_notifier
from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Rejected, StateConflict
from exchange.core.text import clean_text
from exchange.participants.errors import MemberClosed
from exchange.participants.services.members import hold_open
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.alerts.services import resolve_alert
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account, wallet_account
from wallets.payouts.errors import StatusCheckUnavailable
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services.payout_row import PayoutRow
from wallets.payouts.services.settlement import apply_record
from wallets.providers.base import ProviderError
from wallets.providers.registry import payment_provider
from wallets.withdrawals.models import Payout, Verdict, Withdrawal, WithdrawalStatus
from wallets.withdrawals.services.transitions import (
    SWEEP_PAYOUTS,
    change_status,
    lock_withdrawal,
    record_decision,
    release_escrow,
)

RESOLVE = "wallets.resolve_payout"
PROPOSALS = TwoPersonApproval(
    model=Proposal,
    noun="proposal",
    permission=RESOLVE,
    unique_constraint="proposal_one_open_per_withdrawal",
    independence_message="Someone other than the proposer must confirm this",
)


def propose(
    *, withdrawal_id: UUID, action: ProposalAction, reason: str, proposer: StaffUser
) -> Proposal:
    """Open a proposal. Sending again and failing require two "not found" results, half an hour
    apart; a reversal a Completed withdrawal; a return an Approved one with an unclaimed payout.

    A pending proposal that is no longer possible is rejected first.

    Raises `Forbidden`, `WithdrawalNotFound`, `InvalidRequest` (reason missing or too
    long), `Rejected` (`payout_not_lost`, `payout_not_returned`, `payout_not_waiting`),
    `StateConflict` (another is open).
    """
    actor = _require_resolver(proposer)
    reason = clean_text(reason, missing="Enter a reason for the proposal")
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        _check_possible(withdrawal, action, _get_payout(withdrawal))
        former = withdrawal.proposals.filter(status=ApprovalStatus.PENDING).first()
        if former is not None and former.action not in possible_actions(withdrawal):
            _decline(withdrawal, former, proposer, actor, "No longer possible")
        proposal = PROPOSALS.propose(
            StateConflict("Another proposal about this withdrawal is open"),
            withdrawal=withdrawal,
            action=action,
            reason=reason,
            proposed_by=proposer,
        )
        record_decision(
            withdrawal,
            verdict=Verdict.PROPOSE,
            actor=actor,
            reason=reason,
            details={"action": action.value},
        )
    return proposal


def confirm(*, proposal_id: UUID, resolver: StaffUser) -> Withdrawal:
    """Confirm and execute an open proposal; the resolver must not be the proposer.

    Before an unresolved payout is sent again or failed, its status is checked once more: if the
    provider finds the transfer, its record is applied instead and the proposal stays open.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`,
    `payout_found`, and as `propose` when the facts have changed), `Conflict` (`member_closed`),
    `StatusCheckUnavailable`.
    """
    actor = _require_resolver(resolver)
    with transaction.atomic():
        proposal, withdrawal = _lock_confirmable(proposal_id, resolver)
    if proposal.action in {ProposalAction.SEND_AGAIN, ProposalAction.FAIL}:
        _reject_if_found(withdrawal, actor)
    with transaction.atomic():
        # Anything may have changed during the query: check everything again.
        proposal, withdrawal = _lock_confirmable(proposal_id, resolver)
        action = ProposalAction(proposal.action)
        PROPOSALS.close(proposal, ApprovalStatus.APPROVED, resolver)
        record_decision(
            withdrawal,
            verdict=Verdict.CONFIRM,
            actor=actor,
            reason=proposal.reason,
            details={"action": action.value},
        )
        for kind in ("payout_unknown", "payout_differs"):
            resolve_alert(kind, subject=withdrawal.reference)
        match action:
            case ProposalAction.SEND_AGAIN:
                return _send_again(withdrawal)
            case ProposalAction.FAIL:
                return _fail(withdrawal, proposal.reason, actor)
            case ProposalAction.REVERSE:
                return _reverse(withdrawal, proposal.reason, actor)
            case ProposalAction.RETURN:
                return _return(withdrawal, proposal.reason, actor)


def decline(*, proposal_id: UUID, resolver: StaffUser, reason: str = "") -> Proposal:
    """Reject a pending proposal without other effect; the proposer may cancel it this way.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` (reason too long), `StateConflict`.
    """
    actor = _require_resolver(resolver)
    reason = clean_text(reason)
    with transaction.atomic():
        withdrawal = _lock_subject(proposal_id)
        return _decline(withdrawal, PROPOSALS.get_pending(proposal_id), resolver, actor, reason)


def possible_actions(withdrawal: Withdrawal) -> list[ProposalAction]:
    """Return the actions that may be proposed for `withdrawal` now."""
    possible = []
    payout = _get_payout(withdrawal)
    for action in ProposalAction:
        try:
            _check_possible(withdrawal, action, payout)
        except Rejected:
            continue
        possible.append(action)
    return possible


def _get_payout(withdrawal: Withdrawal) -> Payout | None:
    return Payout.objects.filter(withdrawal_id=withdrawal.id).first()


def _check_possible(withdrawal: Withdrawal, action: ProposalAction, payout: Payout | None) -> None:
    if action == ProposalAction.REVERSE:
        returned = payout is not None and payout.returned
        if withdrawal.status != WithdrawalStatus.COMPLETED or not returned:
            raise Rejected(
                "Only a Completed withdrawal that was returned by the bank can be reversed",
                code="payout_not_returned",
            )
        return
    if action == ProposalAction.RETURN:
        _check_unsent(withdrawal, payout)
        return
    apart = timedelta(seconds=settings.PAYOUT_UNKNOWN_AFTER_SECONDS)
    unresolved = (
        payout is not None
        and payout.not_found_count >= 2
        and payout.first_not_found_at is not None
        and payout.last_not_found_at is not None
        and payout.last_not_found_at - payout.first_not_found_at >= apart
    )
    if withdrawal.status != WithdrawalStatus.UNKNOWN or not unresolved:
        raise Rejected(
            "Only an Unknown withdrawal that the provider did not find twice,"
            f" {settings.PAYOUT_UNKNOWN_AFTER_SECONDS // 60} minutes apart,"
            " can be sent again or failed",
            code="payout_not_lost",
        )


def _check_unsent(withdrawal: Withdrawal, payout: Payout | None) -> None:
    """Require certainty that nothing was sent: Approved, unclaimed, and never sent again."""
    if withdrawal.status != WithdrawalStatus.APPROVED or payout is None or payout.claimed_by:
        raise Rejected(
            "Only an Approved withdrawal whose payout is not claimed can be returned",
            code="payout_not_waiting",
        )
    if withdrawal.proposals.filter(
        action=ProposalAction.SEND_AGAIN, status=ApprovalStatus.APPROVED
    ).exists():
        raise Rejected(
            "This payout was sent before and may have been paid, so it cannot be returned",
            code="payout_not_waiting",
        )


def _decline(
    withdrawal: Withdrawal, proposal: Proposal, resolver: StaffUser, actor: Actor, reason: str
) -> Proposal:
    PROPOSALS.close(proposal, ApprovalStatus.REJECTED, resolver)
    record_decision(
        withdrawal,
        verdict=Verdict.DECLINE,
        actor=actor,
        reason=reason,
        details={"action": proposal.action},
    )
    return proposal


def _lock_confirmable(proposal_id: UUID, resolver: StaffUser) -> tuple[Proposal, Withdrawal]:
    """Return an open proposal that `resolver` may confirm now, and its locked withdrawal."""
    withdrawal = _lock_subject(proposal_id)
    proposal = PROPOSALS.get_approvable(proposal_id, resolver)
    _check_possible(withdrawal, ProposalAction(proposal.action), _get_payout(withdrawal))
    return proposal, withdrawal


def _reject_if_found(withdrawal: Withdrawal, actor: Actor) -> None:
    """Query the provider, with no transaction open: the last status check may be old."""
    try:
        found = payment_provider().find_transfer(withdrawal.reference)
    except ProviderError as error:
        raise StatusCheckUnavailable from error
    if found is not None:
        apply_record(withdrawal.id, found, actor=actor)
        raise Rejected(
            f"The payment provider now reports this transfer as {found.status}."
            " The proposal was not executed",
            code="payout_found",
        )


def _lock_subject(proposal_id: UUID) -> Withdrawal:
    """Lock the withdrawal of a proposal, always before the proposal itself."""
    return lock_withdrawal(PROPOSALS.get(proposal_id, lock=False).withdrawal_id)


def _send_again(withdrawal: Withdrawal) -> Withdrawal:
    """Return to Approved under the same reference, which the provider accepts at most once."""
    PayoutRow(withdrawal.id).prepare_resend()
    task_notifier.notify_after_commit(SWEEP_PAYOUTS)
    return change_status(
        withdrawal,
        from_statuses=(WithdrawalStatus.UNKNOWN,),
        to=WithdrawalStatus.APPROVED,
        emit=False,
    )


def _fail(withdrawal: Withdrawal, reason: str, actor: Actor) -> Withdrawal:
    """Release the escrow and monitor the payout: the provider may still pay it."""
    PayoutRow(withdrawal.id).start_monitoring()
    release_escrow(withdrawal, actor=actor, memo=f"failed: {reason}")
    return change_status(
        withdrawal,
        from_statuses=(WithdrawalStatus.UNKNOWN,),
        to=WithdrawalStatus.FAILED,
        reason=reason,
    )


def _reverse(withdrawal: Withdrawal, reason: str, actor: Actor) -> Withdrawal:
    """Credit the returned net amount from clearing to available; the fee is kept."""
    if not hold_open(withdrawal.member_id):
        raise Conflict(
            "The member is closed. Its organisation must reopen it before money is credited",
            code=MemberClosed.code,
        )
    PayoutRow(withdrawal.id).close()
    post_transfer(
        kind=TransferKind.WITHDRAWAL_REVERSE,
        reference=f"withdrawal:{withdrawal.id}:reverse",
        subject_id=withdrawal.id,
        actor=actor,
        memo=f"returned: {reason}"[:300],
        legs=[
            Leg(
                system_account(withdrawal.currency_id, AccountKind.CLEARING),
                -withdrawal.disburse_amount,
            ),
            Leg(wallet_account(withdrawal, AccountKind.AVAILABLE), withdrawal.disburse_amount),
        ],
    )
    resolve_alert("payout_returned", subject=withdrawal.reference)
    return change_status(
        withdrawal,
        from_statuses=(WithdrawalStatus.COMPLETED,),
        to=WithdrawalStatus.REVERSED,
        reason=reason,
    )


def _return(withdrawal: Withdrawal, reason: str, actor: Actor) -> Withdrawal:
    """Release the escrow of a payout that was not sent."""
    PayoutRow(withdrawal.id).close()
    release_escrow(withdrawal, actor=actor, memo=f"returned before it was sent: {reason}")
    return change_status(
        withdrawal,
        from_statuses=(WithdrawalStatus.APPROVED,),
        to=WithdrawalStatus.REJECTED,
        reason=reason,
    )


def _require_resolver(user: StaffUser) -> Actor:
    return authorize_staff(user, RESOLVE, "You do not have permission to resolve payouts")
