"""What two people together decide about a payout: send a lost one again, fail it, reverse one the
bank returned, or return the money of one that waits to be sent. One proposes, another one confirms
or declines.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from exchange.core import task_notifier
from exchange.core.actors import Actor
from exchange.core.errors import Rejected, StateConflict
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import StaffUser
from wallets.alerts.services import resolve_alert
from wallets.ledger.models import AccountKind, TransferKind
from wallets.ledger.posting import Leg, post_transfer, system_account, wallet_account
from wallets.payouts.errors import StatusCheckUnavailable
from wallets.payouts.models import Proposal, ProposalAction, ProposalStatus
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
    pending=ProposalStatus.OPEN,
    independence_message="Somebody else must confirm what you proposed",
    closed_message=lambda proposal: f"The proposal is {proposal.status} already",
)


def propose(
    *, withdrawal_id: UUID, action: ProposalAction, reason: str, proposer: StaffUser
) -> Proposal:
    """Opens a proposal. A lost payout must have been not found twice, half an hour apart; a
    reversal needs a Completed withdrawal, a return an Approved one whose payout nobody has claimed.

    An open proposal that can no longer be carried out is declined by this one.

    Raises `Forbidden`, `WithdrawalNotFound`, `InvalidRequest` (no reason, or too long a
    one), `Rejected` (`payout_not_lost`, `payout_not_returned`, `payout_not_waiting`),
    `StateConflict` (another is open).
    """
    actor = _require_resolver(proposer)
    reason = clean_text(reason, missing="A proposal needs a reason")
    with transaction.atomic():
        withdrawal = lock_withdrawal(withdrawal_id)
        _check_possible(withdrawal, action, _get_payout(withdrawal))
        former = withdrawal.proposals.filter(status=ProposalStatus.OPEN).first()
        if former is not None and former.action not in possible_actions(withdrawal):
            _decline(withdrawal, former, proposer, actor, "It could no longer be carried out")
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
    """Carries an open proposal out. The second person must not be the first.

    Before a lost payout is sent again or failed, the provider is asked once more: should it know
    the transfer by now, that is acted on instead, and the proposal stays as it is.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`,
    `payout_found`, and as `propose` when the facts have changed), `TransferLookUpUnavailable`.
    """
    actor = _require_resolver(resolver)
    with transaction.atomic():
        proposal, withdrawal = _lock_confirmable(proposal_id, resolver)
    if proposal.action in {ProposalAction.SEND_AGAIN, ProposalAction.FAIL}:
        _reject_if_found(withdrawal, actor)
    with transaction.atomic():
        # Much may have happened while the provider was asked: everything is checked again.
        proposal, withdrawal = _lock_confirmable(proposal_id, resolver)
        action = ProposalAction(proposal.action)
        PROPOSALS.close(proposal, ProposalStatus.CONFIRMED, resolver)
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
    """Closes an open proposal without doing anything; the proposer may take it back too.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` for too long a reason, `StateConflict`.
    """
    actor = _require_resolver(resolver)
    reason = clean_text(reason)
    with transaction.atomic():
        withdrawal = _lock_subject(proposal_id)
        return _decline(withdrawal, PROPOSALS.get_pending(proposal_id), resolver, actor, reason)


def possible_actions(withdrawal: Withdrawal) -> list[ProposalAction]:
    """What may be proposed about `withdrawal` right now."""
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
                "Only a Completed withdrawal that the provider says the bank returned"
                " can be reversed",
                code="payout_not_returned",
            )
        return
    if action == ProposalAction.RETURN:
        _check_unsent(withdrawal, payout)
        return
    apart = timedelta(seconds=settings.PAYOUT_LOST_AFTER_SECONDS)
    lost = (
        payout is not None
        and payout.not_found_count >= 2
        and payout.first_not_found_at is not None
        and payout.last_not_found_at is not None
        and payout.last_not_found_at - payout.first_not_found_at >= apart
    )
    if withdrawal.status != WithdrawalStatus.UNKNOWN or not lost:
        raise Rejected(
            "Only an Unknown withdrawal that the provider did not know twice,"
            f" {settings.PAYOUT_LOST_AFTER_SECONDS // 60} minutes apart, is lost",
            code="payout_not_lost",
        )


def _check_unsent(withdrawal: Withdrawal, payout: Payout | None) -> None:
    """Certain that nothing was sent: Approved, unclaimed, and never one whose order was lost."""
    if withdrawal.status != WithdrawalStatus.APPROVED or payout is None or payout.claimed_by:
        raise Rejected(
            "Only an Approved withdrawal whose payout nobody has claimed can be returned",
            code="payout_not_waiting",
        )
    if withdrawal.proposals.filter(
        action=ProposalAction.SEND_AGAIN, status=ProposalStatus.CONFIRMED
    ).exists():
        raise Rejected(
            "This payout was sent before and may have been paid, so it cannot be returned",
            code="payout_not_waiting",
        )


def _decline(
    withdrawal: Withdrawal, proposal: Proposal, resolver: StaffUser, actor: Actor, reason: str
) -> Proposal:
    PROPOSALS.close(proposal, ProposalStatus.DECLINED, resolver)
    record_decision(
        withdrawal,
        verdict=Verdict.DECLINE,
        actor=actor,
        reason=reason,
        details={"action": proposal.action},
    )
    return proposal


def _lock_confirmable(proposal_id: UUID, resolver: StaffUser) -> tuple[Proposal, Withdrawal]:
    """An open proposal that `resolver` may confirm as things stand, and its locked withdrawal."""
    withdrawal = _lock_subject(proposal_id)
    proposal = PROPOSALS.get_approvable(proposal_id, resolver)
    _check_possible(withdrawal, ProposalAction(proposal.action), _get_payout(withdrawal))
    return proposal, withdrawal


def _reject_if_found(withdrawal: Withdrawal, actor: Actor) -> None:
    """Asks the provider now, with no transaction open: the last look-up may be long ago."""
    try:
        found = payment_provider().find_transfer(withdrawal.reference)
    except ProviderError as error:
        raise StatusCheckUnavailable from error
    if found is not None:
        apply_record(withdrawal.id, found, actor=actor)
        raise Rejected(
            f"The payment provider knows this transfer after all, as {found.status}."
            " The proposal was not carried out",
            code="payout_found",
        )


def _lock_subject(proposal_id: UUID) -> Withdrawal:
    """Lock the withdrawal of a proposal: as everywhere, before the proposal itself."""
    return lock_withdrawal(PROPOSALS.get(proposal_id, lock=False).withdrawal_id)


def _send_again(withdrawal: Withdrawal) -> Withdrawal:
    """Back to Approved, with the same reference: the provider takes it once at the most."""
    PayoutRow(withdrawal.id).prepare_resend()
    task_notifier.notify_after_commit(SWEEP_PAYOUTS)
    return change_status(
        withdrawal,
        from_statuses=(WithdrawalStatus.UNKNOWN,),
        to=WithdrawalStatus.APPROVED,
        emit=False,
    )


def _fail(withdrawal: Withdrawal, reason: str, actor: Actor) -> Withdrawal:
    """Gives the money back. The provider may yet show the transfer, so it is watched."""
    PayoutRow(withdrawal.id).start_monitoring()
    release_escrow(withdrawal, actor=actor, memo=f"failed: {reason}")
    return change_status(
        withdrawal,
        from_statuses=(WithdrawalStatus.UNKNOWN,),
        to=WithdrawalStatus.FAILED,
        reason=reason,
    )


def _reverse(withdrawal: Withdrawal, reason: str, actor: Actor) -> Withdrawal:
    """The bank gave the money back: clearing → available for what was paid out; our fee stays."""
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
    """Give the money back before anything is sent; nothing more is done about the payout."""
    PayoutRow(withdrawal.id).close()
    release_escrow(withdrawal, actor=actor, memo=f"returned before it was sent: {reason}")
    return change_status(
        withdrawal,
        from_statuses=(WithdrawalStatus.APPROVED,),
        to=WithdrawalStatus.REJECTED,
        reason=reason,
    )


def _require_resolver(user: StaffUser) -> Actor:
    return authorize_staff(user, RESOLVE, "You may not decide about lost and returned payouts")
