"""Outcomes of distributions of an issuer: its record is made now, and it is paid.

The record comes forward by a change of the distribution's own terms, which two people approve.
"""

import datetime as dt
import time
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from config.local.outcomes.people import FIRST, SECOND, get_identity
from credit.distributions.models import Distribution, DistributionAction, DistributionStatus
from credit.distributions.selectors import get_own_distribution
from credit.distributions.services import funding, paying, proposals, recording
from credit.distributions.services.terms import DistributionTerms
from credit.distributions.services.transitions import require_status
from exchange.core.actors import Actor
from exchange.core.errors import Rejected, StateConflict
from exchange.staff.models import ApprovalStatus

_NOTE = "Outcome set at the sandbox by the issuer"
# Until the record: time for its two approvals, longer where a busy machine took longer.
_LEADS = tuple(dt.timedelta(seconds=seconds) for seconds in (0.3, 1, 3, 9))
_TOO_SOON = {"record_in_past", "notice_too_short"}


def record(distribution_id: UUID, organisation_id: UUID) -> None:
    """Announce a Draft, and make the record of an announced distribution.

    Raises `DistributionNotFound`, `StateConflict`, and as `proposals`.
    """
    own = get_own_distribution(organisation_id, distribution_id)
    require_status(own, DistributionStatus.DRAFT, DistributionStatus.ANNOUNCED)
    for lead in _LEADS:
        try:
            _prepare(own, lead)
        except Rejected as error:
            if error.code not in _TOO_SOON or lead == _LEADS[-1]:
                raise
            own.refresh_from_db()
        else:
            break
    while own.status == DistributionStatus.ANNOUNCED and timezone.now() <= own.record_at:
        time.sleep(0.01)
    recording.record(distribution_id)
    own.refresh_from_db()
    if own.status in (DistributionStatus.DRAFT, DistributionStatus.ANNOUNCED):
        raise StateConflict(f"The record could not be made: the distribution is {own.status}")


@transaction.atomic
def _prepare(own: Distribution, lead: dt.timedelta) -> None:
    """Announce a Draft, and bring a record that is later than `lead` from now forward to then."""
    if own.status == DistributionStatus.DRAFT:
        pending = own.proposals.get(
            action=DistributionAction.ANNOUNCE, status=ApprovalStatus.PENDING
        )
        proposals.approve(proposal_id=pending.pk, user=get_identity(SECOND))
        own.refresh_from_db()
    soon = timezone.now() + lead
    soon = soon.replace(microsecond=soon.microsecond // 1000 * 1000)
    if own.status != DistributionStatus.ANNOUNCED or own.record_at <= soon:
        return
    terms = replace(DistributionTerms.of(own), record_at=soon)
    change = proposals.propose_change(
        distribution_id=own.pk, terms=terms, explanation=_NOTE, user=get_identity(FIRST)
    )
    proposals.approve(proposal_id=change.pk, user=get_identity(SECOND))
    own.refresh_from_db()


def pay(distribution_id: UUID, organisation_id: UUID, actor: Actor) -> None:
    """Fund a recorded distribution from its issuer's wallet, and pay its holders.

    Raises `DistributionNotFound`, and as `funding.fund`.
    """
    own = get_own_distribution(organisation_id, distribution_id)
    paying_now = (DistributionStatus.FUNDED, DistributionStatus.PAYING)
    require_status(own, DistributionStatus.RECORDED, *paying_now)
    if own.status == DistributionStatus.RECORDED:
        funding.fund(distribution_id=distribution_id, organisation_id=organisation_id, actor=actor)
    paying.pay(distribution_id)
