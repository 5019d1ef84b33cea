"""What two people together decide about a payout: send a lost one again, fail it, or reverse one
the bank returned. One proposes, another one confirms or declines.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange import wake
from exchange.actors import Actor
from exchange.errors import Forbidden, NotFound, Refused
from exchange.models import StaffUser
from exchange.words import given
from wallets.errors import StateConflict, TransferLookUpUnavailable
from wallets.ledger import Leg, open_account, post_transfer, system_account
from wallets.models import (
    AccountKind,
    Payout,
    Proposal,
    ProposalAction,
    ProposalStatus,
    TransferKind,
    Verdict,
    Withdrawal,
    WithdrawalStatus,
)
from wallets.providers.base import ProviderError, TransferStatus
from wallets.providers.registry import payment_provider
from wallets.services.alerts import resolve_alert
from wallets.services.settlement import apply_record, watch_from
from wallets.services.transitions import SWEEP_PAYOUTS, lock, move, record, release


def propose(
    *, withdrawal_id: UUID, action: ProposalAction, reason: str, proposer: StaffUser
) -> Proposal:
    """Opens a proposal. A lost payout must have been not found twice, half an hour apart; a
    reversal needs a Completed withdrawal.

    Raises `Forbidden`, `WithdrawalNotFound`, `InvalidRequest` (no reason, or too long a
    one), `Refused` (`payout_not_lost`, `payout_not_returned`), `StateConflict` (another is open).
    """
    actor = _resolver(proposer)
    reason = given(reason, otherwise="A proposal needs a reason")
    with transaction.atomic():
        withdrawal = lock(withdrawal_id)
        _check_possible(withdrawal, action)
        try:
            with transaction.atomic():
                proposal = Proposal.objects.create(
                    withdrawal=withdrawal,
                    action=action,
                    reason=reason,
                    proposed_by=proposer,
                    created_at=timezone.now(),
                )
        except IntegrityError as error:
            raise StateConflict("Another proposal about this withdrawal is open") from error
        record(
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

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Refused` (`approver_not_independent`,
    `payout_found`, and as `propose` when the facts have changed), `TransferLookUpUnavailable`.
    """
    actor = _resolver(resolver)
    with transaction.atomic():
        proposal, withdrawal = _confirmable(proposal_id, resolver)
    if proposal.action != ProposalAction.REVERSE:
        _refuse_if_found(withdrawal, actor)
    with transaction.atomic():
        # Much may have happened while the provider was asked: everything is checked again.
        proposal, withdrawal = _confirmable(proposal_id, resolver)
        action = ProposalAction(proposal.action)
        _decide(proposal, ProposalStatus.CONFIRMED, resolver)
        record(
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


def decline(*, proposal_id: UUID, resolver: StaffUser, reason: str = "") -> Proposal:
    """Closes an open proposal without doing anything; the proposer may take it back too.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` for too long a reason, `StateConflict`.
    """
    actor = _resolver(resolver)
    reason = given(reason)
    with transaction.atomic():
        proposal, withdrawal = _open_proposal(proposal_id)
        _decide(proposal, ProposalStatus.DECLINED, resolver)
        record(
            withdrawal,
            verdict=Verdict.DECLINE,
            actor=actor,
            reason=reason,
            details={"action": proposal.action},
        )
    return proposal


def possible_actions(withdrawal: Withdrawal) -> list[ProposalAction]:
    """What may be proposed about `withdrawal` right now."""
    possible = []
    for action in ProposalAction:
        try:
            _check_possible(withdrawal, action)
        except Refused:
            continue
        possible.append(action)
    return possible


def _check_possible(withdrawal: Withdrawal, action: ProposalAction) -> None:
    payout = Payout.objects.filter(withdrawal_id=withdrawal.id).first()
    if action == ProposalAction.REVERSE:
        returned = payout is not None and payout.provider_status == TransferStatus.FAILED
        if withdrawal.status != WithdrawalStatus.COMPLETED or not returned:
            raise Refused(
                "Only a Completed withdrawal that the provider says the bank returned"
                " can be reversed",
                code="payout_not_returned",
            )
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
        raise Refused(
            "Only an Unknown withdrawal that the provider did not know twice,"
            f" {settings.PAYOUT_LOST_AFTER_SECONDS // 60} minutes apart, is lost",
            code="payout_not_lost",
        )


def _confirmable(proposal_id: UUID, resolver: StaffUser) -> tuple[Proposal, Withdrawal]:
    """An open proposal that `resolver` may confirm as things stand, and its locked withdrawal."""
    proposal, withdrawal = _open_proposal(proposal_id)
    if proposal.proposed_by_id == resolver.pk:
        raise Refused(
            "Somebody else must confirm what you proposed", code="approver_not_independent"
        )
    _check_possible(withdrawal, ProposalAction(proposal.action))
    return proposal, withdrawal


def _refuse_if_found(withdrawal: Withdrawal, actor: Actor) -> None:
    """Asks the provider now, with no transaction open: the last look-up may be long ago."""
    try:
        found = payment_provider().find_transfer(withdrawal.reference)
    except ProviderError as error:
        raise TransferLookUpUnavailable from error
    if found is not None:
        apply_record(withdrawal.id, found, actor=actor)
        raise Refused(
            f"The payment provider knows this transfer after all, as {found.status}."
            " The proposal was not carried out",
            code="payout_found",
        )


def _open_proposal(proposal_id: UUID) -> tuple[Proposal, Withdrawal]:
    found = Proposal.objects.filter(id=proposal_id).first()
    if found is None:
        raise NotFound("Proposal not found", code="proposal_not_found")
    # The withdrawal is locked first, as everywhere; then the proposal is read again.
    withdrawal = lock(found.withdrawal_id)
    proposal = Proposal.objects.get(id=proposal_id)
    if proposal.status != ProposalStatus.OPEN:
        raise StateConflict(f"The proposal is {proposal.status} already")
    return proposal, withdrawal


def _decide(proposal: Proposal, status: ProposalStatus, resolver: StaffUser) -> None:
    proposal.status = status
    proposal.decided_by = resolver
    proposal.decided_at = timezone.now()
    proposal.save(update_fields=["status", "decided_by", "decided_at"])


def _send_again(withdrawal: Withdrawal) -> Withdrawal:
    """Back to Approved, with the same reference: the provider takes it once at the most."""
    now = timezone.now()
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(
        claimed_by="",
        leased_until=None,
        posted_at=None,
        provider_id="",
        provider_status="",
        not_found_count=0,
        first_not_found_at=None,
        last_not_found_at=None,
        next_step_at=now,
        updated_at=now,
    )
    wake.after_commit(SWEEP_PAYOUTS)
    return move(
        withdrawal,
        come_from=(WithdrawalStatus.UNKNOWN,),
        to=WithdrawalStatus.APPROVED,
        emit=False,
    )


def _fail(withdrawal: Withdrawal, reason: str, actor: Actor) -> Withdrawal:
    """Gives the money back. The provider may yet show the transfer, so it is watched."""
    now = timezone.now()
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(
        **watch_from(now), leased_until=None, updated_at=now
    )
    release(withdrawal, actor=actor, memo=f"failed: {reason}")
    return move(
        withdrawal,
        come_from=(WithdrawalStatus.UNKNOWN,),
        to=WithdrawalStatus.FAILED,
        reason=reason[:500],
    )


def _reverse(withdrawal: Withdrawal, reason: str, actor: Actor) -> Withdrawal:
    """The bank gave the money back: clearing → available for what was paid out; our fee stays."""
    Payout.objects.filter(withdrawal_id=withdrawal.id).update(
        next_step_at=None, updated_at=timezone.now()
    )
    currency = withdrawal.currency_id
    post_transfer(
        kind=TransferKind.WITHDRAWAL_REVERSE,
        reference=f"withdrawal:{withdrawal.id}:reverse",
        subject_id=withdrawal.id,
        actor=actor,
        memo=f"returned: {reason}"[:300],
        legs=[
            Leg(system_account(currency, AccountKind.CLEARING), -withdrawal.disburse_amount),
            Leg(
                open_account(
                    currency,
                    AccountKind.AVAILABLE,
                    organisation_id=withdrawal.organisation_id,
                    member_id=withdrawal.member_id,
                ),
                withdrawal.disburse_amount,
            ),
        ],
    )
    resolve_alert("payout_returned", subject=withdrawal.reference)
    return move(
        withdrawal,
        come_from=(WithdrawalStatus.COMPLETED,),
        to=WithdrawalStatus.REVERSED,
        reason=reason[:500],
    )


def _resolver(user: StaffUser) -> Actor:
    if not user.may("wallets.resolve_payout"):
        raise Forbidden("You may not decide about lost and returned payouts")
    return Actor.staff(user.pk, str(user))
