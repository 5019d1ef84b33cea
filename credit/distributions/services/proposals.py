"""Distributions by two: the issuer or staff propose one, other staff approve, which announces it.

Staff alone propose the steps after: changed terms, funding without the issuer's word, cancellation.
"""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from credit.distributions.errors import (
    DistributionProposalPending,
    NotIssuer,
    PeriodTaken,
)
from credit.distributions.models import (
    Distribution,
    DistributionAction,
    DistributionProposal,
    DistributionStatus,
)
from credit.distributions.selectors import periods_between
from credit.distributions.services.assigning import assign, check_assignment
from credit.distributions.services.correcting import check_correction, record_correction
from credit.distributions.services.funding import cancel_distribution, post_funding
from credit.distributions.services.terms import (
    DistributionTerms,
    check_cancellation,
    check_terms,
    earliest_record,
)
from credit.distributions.services.transitions import (
    CANCELLED,
    UPDATED,
    emit_announced,
    emit_to_issuer,
    lock_distribution,
    move,
    require_status,
)
from exchange.core.actors import Actor
from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidRequest, StateConflict
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_actor, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from exchange.tokens.models import Token
from exchange.tokens.selectors.tokens import token_document
from orders.listings.services.lifecycle import lock_token
from wallets.alerts.services import resolve_alert

PROPOSE = "credit.propose_distribution"
DECIDE = "credit.decide_distribution"
_MAY_NOT_PROPOSE = "You may not propose distributions"
_MAY_NOT_DECIDE = "You may not decide about distributions"
_MAX_EXPLANATION = 300
_ONCE = {"distribution_once", "distribution_of_period"}
# A draft of the schedule whose record passed before it was approved.
ALERT_MISSED = "distribution_missed"

_Effect = Callable[[Distribution, DistributionProposal, Actor], object]


def _proposed_by(user: StaffUser) -> Q:
    return Q(proposed_by=str(Actor.staff(user.pk, "")))


PROPOSALS = TwoPersonApproval(
    model=DistributionProposal,
    noun="distribution proposal",
    permission=DECIDE,
    unique_constraint="distribution_proposal_once",
    proposers=lambda proposal: (proposal.proposed_by,),
    proposed_by=_proposed_by,
)


def propose_distribution(
    *,
    token_id: UUID,
    terms: DistributionTerms,
    actor: Actor,
    explanation: str = "",
    corrects: UUID | None = None,
) -> Distribution:
    """Propose a distribution. It is a Draft until staff approve it, which announces it.

    With `corrects`, the terms are those that would have been right for that one. An API key
    proposes for tokens that its organisation issued. Raises `TokenNotFound`, `NotIssuer`,
    `Forbidden`, and as `check_terms` or `check_correction`.
    """
    authorize_actor(actor, PROPOSE, _MAY_NOT_PROPOSE)
    if actor.organisation_id is not None:
        _require_issuer(actor.organisation_id, token_id)
    with transaction.atomic():
        token = lock_token(token_id)
        if corrects is None:
            check_terms(token, terms)
        else:
            original = check_correction(token, corrects, terms)
            terms = replace(terms, record_at=original.record_at)
        distribution = insert_distribution(token, terms, actor, corrects_id=corrects)
        propose_action(distribution, DistributionAction.ANNOUNCE, actor, explanation)
    return distribution


def propose_change(
    *, distribution_id: UUID, terms: DistributionTerms, explanation: str, user: StaffUser
) -> DistributionProposal:
    """Propose other terms of an announced distribution.

    Raises `Forbidden`, `DistributionNotFound`, `StateConflict`, as `check_terms`, and
    `DistributionProposalPending`.
    """
    actor = authorize_staff(user, PROPOSE, _MAY_NOT_PROPOSE)
    with transaction.atomic():
        distribution = lock_distribution(distribution_id)
        _check_change(distribution, terms)
        return propose_action(
            distribution, DistributionAction.CHANGE, actor, explanation, terms=terms.to_json()
        )


def propose_step(
    *, distribution_id: UUID, action: DistributionAction, explanation: str, user: StaffUser
) -> DistributionProposal:
    """Propose to fund or to cancel a distribution.

    Raises `Forbidden`, `DistributionNotFound`, `StateConflict`, `DistributionProposalPending`, as
    `check_cancellation`.
    """
    actor = authorize_staff(user, PROPOSE, _MAY_NOT_PROPOSE)
    if action not in STEPS:
        raise InvalidRequest("A step is the funding or the cancellation")
    with transaction.atomic():
        distribution = lock_distribution(distribution_id)
        require_status(distribution, *STEPS[action])
        if action == DistributionAction.CANCEL:
            check_cancellation(distribution)
        return propose_action(distribution, action, actor, explanation)


def propose_assignment(
    *, distribution_id: UUID, income_id: UUID, owner_id: UUID, explanation: str, user: StaffUser
) -> DistributionProposal:
    """Propose who is paid the income of a closed member.

    Raises `Forbidden`, `DistributionNotFound`, as `check_assignment`, and
    `DistributionProposalPending`.
    """
    actor = authorize_staff(user, PROPOSE, _MAY_NOT_PROPOSE)
    with transaction.atomic():
        distribution = lock_distribution(distribution_id)
        require_status(distribution, *ASSIGNABLE)
        income = check_assignment(distribution, income_id, owner_id)
        terms = {"income": str(income.pk), "owner": str(owner_id)}
        return propose_action(
            distribution, DistributionAction.ASSIGN, actor, explanation, terms=terms
        )


def approve(*, proposal_id: UUID, user: StaffUser) -> DistributionProposal:
    """Do what was proposed, as the second person.

    Raises `Forbidden`, `NotFound`, `Rejected` and `StateConflict` as `TwoPersonApproval`, and as
    the step; an error changes nothing, and the proposal stays pending.
    """
    actor = authorize_staff(user, DECIDE, _MAY_NOT_DECIDE)
    with transaction.atomic():
        # The proposal names its distribution for good, which is locked first.
        found = PROPOSALS.get(proposal_id, lock=False)
        distribution = lock_distribution(found.distribution_id)
        proposal = PROPOSALS.get_approvable(proposal_id, user)
        PROPOSALS.close(proposal, ApprovalStatus.APPROVED, user)
        _EFFECTS[DistributionAction(proposal.action)](distribution, proposal, actor)
        proposal.distribution = distribution
    return proposal


def reject(*, proposal_id: UUID, reason: str, user: StaffUser) -> DistributionProposal:
    """Reject a proposal, also one's own; a distribution that was a Draft is cancelled.

    Raises as `approve`, and `InvalidRequest` without a reason.
    """
    authorize_staff(user, DECIDE, _MAY_NOT_DECIDE)
    why = clean_text(reason, missing="Enter a reason for the rejection")
    with transaction.atomic():
        found = PROPOSALS.get(proposal_id, lock=False)
        distribution = lock_distribution(found.distribution_id)
        proposal = PROPOSALS.get_pending(proposal_id)
        PROPOSALS.close(proposal, ApprovalStatus.REJECTED, user, reason=why)
        if proposal.action == DistributionAction.ANNOUNCE:
            resolve_alert(ALERT_MISSED, subject=str(distribution.pk))
            move(distribution, DistributionStatus.CANCELLED)
            emit_to_issuer(distribution, CANCELLED)
    return proposal


def _announce(distribution: Distribution, _proposal: DistributionProposal, actor: Actor) -> None:
    require_status(distribution, DistributionStatus.DRAFT)
    terms, now = DistributionTerms.of(distribution), timezone.now()
    if distribution.corrects_id is not None:
        check_correction(distribution.token, distribution.corrects_id, terms, but=distribution)
        emit_announced(move(distribution, DistributionStatus.ANNOUNCED))
        record_correction(distribution, actor)
        return
    if distribution.period_end is not None:
        _require_scheduled(distribution, distribution.period_end)
        terms = terms.postpone(earliest_record(now))
    check_terms(distribution.token, terms, but=distribution, now=now)
    resolve_alert(ALERT_MISSED, subject=str(distribution.pk))
    times = {"record_at": terms.record_at, "payment_date": terms.payment_date}
    emit_announced(move(distribution, DistributionStatus.ANNOUNCED, **times))


def _require_scheduled(distribution: Distribution, ends: dt.date) -> None:
    """Raise `StateConflict` unless the token's schedule still has the period with this basis."""
    periods = periods_between(distribution.token, ends, ends)
    if [period.basis for period in periods] != [distribution.basis]:
        raise StateConflict(
            "The schedule of the token has changed since: reject this draft, another one follows"
        )


def _change(distribution: Distribution, proposal: DistributionProposal, _actor: Actor) -> None:
    terms = DistributionTerms.from_json(distribution, proposal.terms or {})
    _check_change(distribution, terms)
    changes = {**terms.columns(), "version": distribution.version + 1}
    emit_to_issuer(move(distribution, DistributionStatus.ANNOUNCED, **changes), UPDATED)


def _fund(distribution: Distribution, _proposal: DistributionProposal, actor: Actor) -> None:
    post_funding(distribution, actor)


def _cancel(distribution: Distribution, _proposal: DistributionProposal, actor: Actor) -> None:
    check_cancellation(distribution)
    cancel_distribution(distribution, actor)


# Each takes the locked distribution, once two people have approved.
_EFFECTS: dict[DistributionAction, _Effect] = {
    DistributionAction.ANNOUNCE: _announce,
    DistributionAction.CHANGE: _change,
    DistributionAction.FUND: _fund,
    DistributionAction.CANCEL: _cancel,
    DistributionAction.ASSIGN: assign,
}
# The statuses in which a step can be proposed.
STEPS: dict[DistributionAction, tuple[DistributionStatus, ...]] = {
    DistributionAction.FUND: (DistributionStatus.RECORDED,),
    DistributionAction.CANCEL: (
        DistributionStatus.ANNOUNCED,
        DistributionStatus.RECORDED,
        DistributionStatus.FUNDED,
    ),
}
ASSIGNABLE = (DistributionStatus.PAYING, DistributionStatus.PAID)


def _require_issuer(organisation_id: UUID, token_id: UUID) -> None:
    """Raise `TokenNotFound` or `NotIssuer` for a token of another organisation."""
    token_document(organisation_id, token_id)
    if not Token.objects.filter(pk=token_id, issuer_id=organisation_id).exists():
        raise NotIssuer


def insert_distribution(
    token: Token,
    terms: DistributionTerms,
    actor: Actor,
    *,
    period_end: dt.date | None = None,
    corrects_id: UUID | None = None,
) -> Distribution:
    """Insert a Draft. The caller has locked the token. Raises `PeriodTaken`."""
    now = timezone.now()
    try:
        with transaction.atomic():
            return Distribution.objects.create(
                token=token,
                type=terms.type,
                currency_id=terms.currency,
                proposed_by=str(actor),
                proposed_by_label=actor.label,
                created_at=now,
                updated_at=now,
                period_end=period_end,
                corrects_id=corrects_id,
                final=terms.final,
                **terms.columns(),
            )
    except IntegrityError as error:
        if violated_constraint(error) not in _ONCE:
            raise
        raise PeriodTaken(f"Another {terms.type} of this token has this record") from error


def propose_action(
    distribution: Distribution,
    action: DistributionAction,
    actor: Actor,
    explanation: str,
    **values: object,
) -> DistributionProposal:
    """File what two people decide next. Raises `DistributionProposalPending`."""
    why = clean_text(explanation, max_length=_MAX_EXPLANATION) if explanation else ""
    return PROPOSALS.propose(
        DistributionProposalPending(),
        distribution=distribution,
        action=action,
        explanation=why,
        proposed_by=str(actor),
        proposed_by_label=actor.label,
        **values,
    )


def _check_change(distribution: Distribution, terms: DistributionTerms) -> None:
    require_status(distribution, DistributionStatus.ANNOUNCED)
    if distribution.record_at <= timezone.now():
        raise StateConflict("The record of this distribution is due: its terms stay as they are")
    check_terms(distribution.token, terms, but=distribution)
