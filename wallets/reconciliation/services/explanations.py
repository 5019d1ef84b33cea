"""Decisions about breaks: assign, explain, and close as the second person."""

from uuid import UUID

from django.db import transaction

from exchange.core.errors import Forbidden, InvalidRequest, NotFound, StateConflict
from exchange.core.querysets import get_or_raise
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
    independence_message="Someone other than the person who explained it must close the break",
)
_NOT_ALLOWED = "You may not explain or close breaks"
_MAX_REASON_LENGTH = 300


def explain_break(*, break_id: UUID, explanation: str, user: StaffUser) -> BreakExplanation:
    """Propose to close an open break with `explanation`; another person closes it.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` (empty or too long), `StateConflict` for a
    break that is explained or closed.
    """
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    explanation = clean_text(explanation, missing="Enter an explanation")
    with transaction.atomic():
        found = _lock(break_id)
        if found.status != BreakStatus.OPEN:
            raise StateConflict(describe_break_blocker(found))
        proposed = EXPLANATIONS.propose(
            StateConflict("The break is already explained and awaits a second person"),
            subject=found,
            explanation=explanation,
            proposed_by=user,
        )
        _set_status(found, BreakStatus.OPEN, BreakStatus.EXPLAINED)
    return proposed


def close_break(*, explanation_id: UUID, user: StaffUser) -> ReconciliationBreak:
    """Close a break with another person's explanation; the last of a day resolves its alert.

    Raises `Forbidden`, `NotFound`, `StateConflict`, `Rejected` (`approver_not_independent`).
    """
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    with transaction.atomic():
        # Of two people who close the last breaks of a day, the second sees the first closure.
        lock_breaks()
        found = _lock(EXPLANATIONS.get(explanation_id, lock=False).subject_id)
        proposed = EXPLANATIONS.get_approvable(explanation_id, user)
        EXPLANATIONS.close(proposed, ApprovalStatus.APPROVED, user)
        _set_status(found, BreakStatus.EXPLAINED, BreakStatus.CLOSED)
        if not count_open(found.day):
            resolve_alert(ALERT, subject=str(found.day))
    return found


def reject_explanation(*, explanation_id: UUID, user: StaffUser, reason: str) -> BreakExplanation:
    """Reject an explanation, or cancel one's own; the break is open again.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` (reason empty or too long), `StateConflict`.
    """
    authorize_staff(user, DECIDE, _NOT_ALLOWED)
    reason = clean_text(
        reason, missing="Enter a reason for the rejection", max_length=_MAX_REASON_LENGTH
    )
    with transaction.atomic():
        found = _lock(EXPLANATIONS.get(explanation_id, lock=False).subject_id)
        proposed = EXPLANATIONS.get_pending(explanation_id)
        EXPLANATIONS.close(proposed, ApprovalStatus.REJECTED, user, reason=reason)
        _set_status(found, BreakStatus.EXPLAINED, BreakStatus.OPEN)
    return proposed


def assign_break(*, break_id: UUID, owner: StaffUser, user: StaffUser) -> ReconciliationBreak:
    """Assign a break that is not closed to `owner`, who may be `user`.

    Raises `Forbidden`, `NotFound`, `InvalidRequest` for an owner without the permission,
    `StateConflict` for a closed break.
    """
    if not user.may(DECIDE):
        raise Forbidden(_NOT_ALLOWED)
    if not owner.may(DECIDE):
        raise InvalidRequest.for_field(
            "owner", "The owner must be permitted to explain and close breaks"
        )
    with transaction.atomic():
        found = _lock(break_id)
        if found.status == BreakStatus.CLOSED:
            raise StateConflict(describe_break_blocker(found))
        found.owner = owner
        found.save(update_fields=["owner"])
    return found


def describe_break_blocker(found: ReconciliationBreak) -> str:
    """Return why the break cannot be explained now; empty while it is open."""
    return {
        BreakStatus.OPEN: "",
        BreakStatus.EXPLAINED: "The break is already explained and awaits a second person",
        BreakStatus.CLOSED: "The break is closed",
    }[BreakStatus(found.status)]


def _lock(break_id: UUID) -> ReconciliationBreak:
    rows = ReconciliationBreak.objects.select_for_update(of=("self",), no_key=True)
    return get_or_raise(
        rows.filter(pk=break_id), lambda: NotFound("Break not found", code="break_not_found")
    )


def _set_status(found: ReconciliationBreak, before: BreakStatus, after: BreakStatus) -> None:
    rows = ReconciliationBreak.objects.filter(pk=found.pk, status=before)
    if rows.update(status=after) != 1:
        raise StateConflict(f"The break is no longer {before}")
    found.status = after
