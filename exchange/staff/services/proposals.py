"""Proposals to grant privileged access to users, and the base of all access proposals.

Granting privileged access takes two people. Administrators propose; finance approvers may also
propose to restore an administrator, so that access can be recovered. Commands file proposals
without a proposer, which a back-office user adopts. `exchange.access.services.decisions` confirms
them. Proposals about API keys and organisations: `exchange.participants.services.proposals`.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import structlog
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from exchange.core.errors import Conflict
from exchange.core.text import clean_text
from exchange.staff.approvals import TwoPersonApproval, authorize_staff
from exchange.staff.models import (
    AccessEvent,
    AccessKind,
    AccessProposal,
    AccessProposalStatus,
    StaffUser,
)
from exchange.staff.services import accounts, second_factor
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.privileged_access import can_manage_staff

logger = structlog.get_logger(__name__)

MAX_NOTE_LENGTH = 300
_RESTORE_PERMISSION = "exchange.restore_administrator"
_NOT_ALLOWED = "You are not allowed to propose changes to this person's access"
DECIDE = "exchange.decide_accessproposal"
APPROVAL = TwoPersonApproval(
    model=AccessProposal,
    noun="proposal",
    permission=DECIDE,
    unique_constraint="access_proposal_pending_once",
    independence_message="Someone other than the proposer and the person concerned must confirm",
    proposers=lambda proposal: (proposal.proposed_by_id, proposal.person_id),
    proposed_by=lambda user: Q(proposed_by=user) | Q(person=user),
    # Only the proposer counts: the person concerned is not one of the two.
    tenured_people=lambda proposal: (proposal.proposed_by_id,),
)


def propose_invitation(
    *,
    username: str,
    role: Group,
    by: StaffUser | None,
    details: Mapping[str, str] | None = None,
    note: str = "",
) -> AccessProposal:
    """Propose a new user with a privileged role.

    `by` is None for commands. Raises `Forbidden`, `InvalidRequest`, `Conflict` for a name that is
    taken or already proposed.
    """
    _require_proposer(by, "exchange.add_staffuser", restores=can_manage_staff(role))
    accounts.build_person(username, details)
    payload = {"username": username, "role": role.name, "details": dict(details or {})}
    once = {"payload__username__iexact": username}
    return file_proposal(AccessKind.INVITE_PERSON, by, note, payload, once=once)


def propose_password_reset(*, user_id: UUID, by: StaffUser, note: str = "") -> AccessProposal:
    """Propose an invitation link for choosing a new password. Raises as above."""
    user = _get_person(user_id, by, restorable=True)
    if not user.is_active:
        raise Conflict(f"{user} is deactivated")
    return file_proposal(AccessKind.RESET_PASSWORD, by, note, person=user)


def propose_second_factor_reset(*, user_id: UUID, by: StaffUser, note: str = "") -> AccessProposal:
    """Propose to reset a user's second factor. Raises as above."""
    user = _get_person(user_id, by, restorable=True)
    if not second_factor.is_set_up(user):
        raise Conflict(f"{user} has no second factor")
    return file_proposal(AccessKind.RESET_SECOND_FACTOR, by, note, person=user)


def propose_activation(*, user_id: UUID, by: StaffUser, note: str = "") -> AccessProposal:
    """Propose to activate a deactivated user. Raises as above."""
    user = _get_person(user_id, by, restorable=True)
    if user.is_active:
        raise Conflict(f"{user} is already active")
    return file_proposal(AccessKind.ACTIVATE_PERSON, by, note, person=user)


def propose_role_change(
    *, user_id: UUID, role: Group | None, expected_role: str, by: StaffUser, note: str = ""
) -> AccessProposal:
    """Propose to replace a user's role, which must be `expected_role`. Raises as above."""
    user = _get_person(user_id, by, restorable=False)
    before = accounts.role_name(user)
    if before != expected_role:
        raise Conflict(f"{user} is {before or 'without a role'} now. Reload the page and try again")
    payload = {"role": role.name if role else "", "seen": expected_role}
    return file_proposal(AccessKind.CHANGE_ROLE, by, note, payload, person=user)


def record_break_glass(
    kind: AccessKind,
    *,
    payload: Mapping[str, Any],
    person: StaffUser | None = None,
    **about: Any,
) -> AccessProposal:
    """Record an immediate change by a command; privileged users see a notice for some days.

    `about` holds the organisation and the API key, if any.
    """
    now = timezone.now()
    proposal = AccessProposal.objects.create(
        kind=kind,
        person=person,
        payload=dict(payload),
        break_glass=True,
        status=AccessProposalStatus.APPROVED,
        created_at=now,
        decided_at=now,
        **about,
    )
    if person is not None:
        record_access_event(
            event=AccessEvent.BREAK_GLASS, user=person, details=proposal.get_kind_display()
        )
    logger.warning("access.break_glass", kind=str(kind), proposal=str(proposal.pk))
    return proposal


@transaction.atomic
def file_proposal(
    kind: AccessKind,
    by: StaffUser | None,
    note: str,
    payload: Mapping[str, Any] | None = None,
    *,
    once: Mapping[str, Any] | None = None,
    **about: Any,
) -> AccessProposal:
    """File a proposal; `once` is the condition for duplicates that no constraint covers."""
    if once is not None:
        _require_no_duplicate(kind, once)
    proposal = APPROVAL.propose(
        Conflict(f"{kind.label} is already proposed for this person", code="access_pending"),
        kind=kind,
        payload=dict(payload or {}),
        note=clean_text(note, max_length=MAX_NOTE_LENGTH),
        proposed_by=by,
        **about,
    )
    logger.info(
        "access_proposal.filed",
        proposal=str(proposal.pk),
        kind=str(kind),
        by=str(by.pk) if by else None,
    )
    return proposal


def _require_proposer(by: StaffUser | None, permission: str, *, restores: bool) -> None:
    """Authorize administrators, and finance approvers to restore an administrator."""
    if by is None:
        return
    restoring = restores and not by.may(permission)
    authorize_staff(by, _RESTORE_PERMISSION if restoring else permission, _NOT_ALLOWED)


def _require_no_duplicate(kind: AccessKind, once: Mapping[str, Any]) -> None:
    with connection.cursor() as cursor:  # serializes concurrent checks
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('access_proposal', 0))")
    pending = AccessProposal.objects.filter(kind=kind, status=AccessProposalStatus.PENDING)
    if pending.filter(**once).exists():
        raise Conflict(f"{kind.label}: already proposed", code="access_pending")


def _get_person(user_id: UUID, by: StaffUser, *, restorable: bool) -> StaffUser:
    user = accounts.get_person(user_id)
    restores = restorable and can_manage_staff(user)
    _require_proposer(by, "exchange.change_staffuser", restores=restores)
    accounts.require_may_change_access(user, by)
    return user
