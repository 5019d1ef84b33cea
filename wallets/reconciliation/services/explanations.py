"""What people do about a break: take it, explain it, and close it as the second person."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from exchange.core.errors import Forbidden, InvalidRequest, NotFound, StateConflict
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import ApprovalStatus, StaffUser
from wallets.alerts.services import resolve_alert
from wallets.reconciliation.models import BreakExplanation, BreakStatus, ReconciliationBreak
from wallets.reconciliation.services.breaks import count_open, lock_breaks

DECIDE = "wallets.decide_break"
ALERT = "reconciliation"
EXPLANATIONS = TwoPersonApproval(
    model=BreakExplanation,
    noun="explanation",
    permission=DECIDE,
    unique_constraint="explanation_pending_once",
    independence_message="Somebody else must close what you explained",
)
_NOT_ALLOWED = "You may not decide about differences with the provider"
_MAX_REASON_LENGTH = 300


def explain_break(*, break_id: UUID, explanation: str, user: StaffUser) -> BreakExplanation:
    """Propose to close an open break with `explanation`; somebody else closes it.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` (none, or too long a one), `StateConflict` for
    a break that is explained or closed.
    """
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    explanation = clean_text(explanation, missing="A break is explained in writing")
    with transaction.atomic():
        found = _lock(break_id)
        if found.status != BreakStatus.OPEN:
            raise StateConflict(describe_break_blocker(found))
        proposed = EXPLANATIONS.propose(
            StateConflict("The break is explained already and waits for a second person"),
            subject=found,
            explanation=explanation,
            proposed_by=user,
        )
        _set_status(found, BreakStatus.OPEN, BreakStatus.EXPLAINED)
    return proposed


def close_break(*, explanation_id: UUID, user: StaffUser) -> ReconciliationBreak:
    """Close a break with the explanation of somebody else; the last one of a day ends its alert.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    with transaction.atomic():
        # Of two that close the last breaks of a day, the second one finds the first.
        lock_breaks()
        found = _lock(EXPLANATIONS.get(explanation_id, lock=False).subject_id)
        proposed = EXPLANATIONS.get_approvable(explanation_id, user)
        EXPLANATIONS.close(proposed, ApprovalStatus.APPROVED, user)
        _set_status(found, BreakStatus.EXPLAINED, BreakStatus.CLOSED)
        if not count_open(found.day):
            resolve_alert(ALERT, subject=str(found.day))
    return found


def reject_explanation(*, explanation_id: UUID, user: StaffUser, reason: str) -> BreakExplanation:
    """Refuse an explanation, or take one's own back: the break is open again.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` (no reason, or too long a one),
    `StateConflict`.
    """
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    reason = clean_text(reason, missing="A refusal needs a reason", max_length=_MAX_REASON_LENGTH)
    with transaction.atomic():
        found = _lock(EXPLANATIONS.get(explanation_id, lock=False).subject_id)
        proposed = EXPLANATIONS.get_pending(explanation_id)
        EXPLANATIONS.close(proposed, ApprovalStatus.REJECTED, user, reason=reason)
        _set_status(found, BreakStatus.EXPLAINED, BreakStatus.OPEN)
    return proposed


def assign_break(*, break_id: UUID, owner: StaffUser, user: StaffUser) -> ReconciliationBreak:
    """Make `owner`, who may be `user`, the one who looks into a break that is not closed.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` for an owner who may not decide about breaks,
    `StateConflict` for a closed one.
    """
    if not user.may(DECIDE):
        raise Forbidden(_NOT_ALLOWED)
    if not owner.may(DECIDE):
        raise InvalidRequest.for_field("owner", "This person may not decide about breaks")
    with transaction.atomic():
        found = _lock(break_id)
        if found.status == BreakStatus.CLOSED:
            raise StateConflict(describe_break_blocker(found))
        found.owner = owner
        found.save(update_fields=["owner"])
    return found


def describe_break_blocker(found: ReconciliationBreak) -> str:
    """Return why nobody can explain the break now; empty while it is open."""
    return {
        BreakStatus.OPEN: "",
        BreakStatus.EXPLAINED: "The break is explained already and waits for a second person",
        BreakStatus.CLOSED: "The break is closed",
    }[BreakStatus(found.status)]


def _lock(break_id: UUID) -> ReconciliationBreak:
    found = (
        ReconciliationBreak.objects.select_for_update(of=("self",), no_key=True)
        .filter(pk=break_id)
        .first()
    )
    if found is None:
        raise NotFound("Break not found", code="break_not_found")
    return found


def _set_status(found: ReconciliationBreak, before: BreakStatus, after: BreakStatus) -> None:
    rows = ReconciliationBreak.objects.filter(pk=found.pk, status=before)
    if rows.update(status=after) != 1:
        raise StateConflict(f"The break is no longer {before}")
    found.status = after
