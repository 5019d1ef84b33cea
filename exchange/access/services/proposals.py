"""Proposals to give somebody, or an API key, power over money: who may make them.

Giving power over money takes two people. An administrator proposes; for the access of an
administrator, a finance approver may do it too, so that a lost administrator locks nobody out. A
command files proposals without a proposer, which somebody in the back office takes up.
`services.access_decisions` confirms them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from exchange.core.errors import Conflict, NotFound
from exchange.core.words import given
from exchange.participants.models import ApiKey, Organisation
from exchange.participants.services import api_keys as access
from exchange.staff.approvals import TwoPersonApproval, require_decider
from exchange.staff.models import (
    AccessEvent,
    AccessKind,
    AccessProposal,
    AccessProposalStatus,
    StaffUser,
)
from exchange.staff.services import accounts as staff
from exchange.staff.services import second_factor
from exchange.staff.services.access_records import record
from exchange.staff.services.deciding_access import manages_access, role_manages_access

logger = structlog.get_logger(__name__)

LONGEST_WORDS = 300
_RESTORE = "exchange.restore_administrator"
_NOT_YOURS = "You may not propose to change this person's access"
DECIDE = "exchange.decide_accessproposal"
APPROVAL = TwoPersonApproval(
    model=AccessProposal,
    noun="proposal",
    permission=DECIDE,
    once="access_proposal_pending_once",
    independence="Somebody else must confirm what you proposed, or what is about you",
    proposers=lambda proposal: (proposal.proposed_by_id, proposal.person_id),
    own=lambda user: Q(proposed_by=user) | Q(person=user),
    # The person concerned is none of the two; what a command filed has no first one yet.
    tenured=lambda proposal: (proposal.proposed_by_id,),
)


def propose_invitation(
    *,
    username: str,
    role: Group,
    by: StaffUser | None,
    details: Mapping[str, str] | None = None,
    note: str = "",
) -> AccessProposal:
    """Propose a new member of staff whose role decides.

    `by` is None where a command files it. Raises `Forbidden`, `InvalidRequest`, `Conflict` for a
    name that is taken or proposed already.
    """
    _require_proposer(by, "exchange.add_staffuser", restores=role_manages_access(role))
    staff.check_new_person(username, details)
    payload = {"username": username, "role": role.name, "details": dict(details or {})}
    once = {"payload__username__iexact": username}
    return _file(AccessKind.INVITE_PERSON, by, note, payload, once=once)


def propose_reset_of_password(*, user_id: UUID, by: StaffUser, note: str = "") -> AccessProposal:
    """Propose a one-time address by which a person chooses another password. Raises as above."""
    user = _person(user_id, by, restorable=True)
    if not user.is_active:
        raise Conflict(f"{user} is deactivated")
    return _file(AccessKind.RESET_PASSWORD, by, note, person=user)


def propose_reset_of_second_factor(
    *, user_id: UUID, by: StaffUser, note: str = ""
) -> AccessProposal:
    """Propose to remove a person's second factor. Raises as above."""
    user = _person(user_id, by, restorable=True)
    if not second_factor.is_set_up(user):
        raise Conflict(f"{user} has no second factor")
    return _file(AccessKind.RESET_SECOND_FACTOR, by, note, person=user)


def propose_activation(*, user_id: UUID, by: StaffUser, note: str = "") -> AccessProposal:
    """Propose to let a deactivated person in again. Raises as above."""
    user = _person(user_id, by, restorable=True)
    if user.is_active:
        raise Conflict(f"{user} is active already")
    return _file(AccessKind.ACTIVATE_PERSON, by, note, person=user)


def propose_role(
    *, user_id: UUID, role: Group | None, seen: str, by: StaffUser, note: str = ""
) -> AccessProposal:
    """Propose `role` in the place of the one a person had, which was `seen`. Raises as above."""
    user = _person(user_id, by, restorable=False)
    before = staff.role_of(user)
    if before != seen:
        raise Conflict(f"{user} is {before or 'without a role'} by now. Please look again")
    payload = {"role": role.name if role else "", "seen": seen}
    return _file(AccessKind.CHANGE_ROLE, by, note, payload, person=user)


def propose_key(
    *,
    organisation: Organisation,
    name: str,
    scopes: Iterable[str],
    by: StaffUser | None,
    expires_at: datetime | None = None,
    note: str = "",
) -> AccessProposal:
    """Propose a new API key with power over money; `by` is None where a command files it.

    Raises `Forbidden`, `InvalidRequest`, `Conflict` for a name that is taken or proposed already.
    """
    if by is not None:
        require_decider(by, "exchange.add_apikey", "You may not propose API keys")
    wanted = access.check_key(name=name, scopes=scopes, expires_at=expires_at)
    access.require_free_key_name(organisation, name)
    payload = {"name": name, "scopes": sorted(wanted), "expires_at": _text(expires_at)}
    once = {"organisation": organisation, "payload__name": name}
    return _file(AccessKind.ISSUE_KEY, by, note, payload, once=once, organisation=organisation)


def propose_rotation(
    *, key_id: UUID, overlap: timedelta, by: StaffUser, expires_at: datetime | None, note: str = ""
) -> AccessProposal:
    """Propose a second key in the place of one with power over money. Raises as above."""
    key = _key(key_id, by)
    access.require_rotatable(key)
    access.check_key(name=key.name, scopes=key.scopes, expires_at=expires_at)
    payload = {"overlap_hours": overlap / timedelta(hours=1), "expires_at": _text(expires_at)}
    return _file_about_key(AccessKind.ROTATE_KEY, key, by, note, payload)


def propose_token(*, key_id: UUID, days: int, by: StaffUser, note: str = "") -> AccessProposal:
    """Propose a long-lived access token of a key with power over money. Raises as above."""
    key = _key(key_id, by)
    return _file_about_key(AccessKind.ISSUE_TOKEN, key, by, note, {"days": days})


def propose_activation_of_organisation(
    *, organisation_id: UUID, by: StaffUser, note: str = ""
) -> AccessProposal:
    """Propose to let an organisation in again whose keys have power over money. Raises as above."""
    require_decider(
        by,
        "exchange.add_apikey",
        "Its API keys have power over money: only an administrator proposes to activate it",
    )
    organisation = Organisation.objects.filter(pk=organisation_id).first()
    if organisation is None:
        raise NotFound("Organisation not found")
    if organisation.active:
        raise Conflict(f"{organisation} is active already")
    keys = access.unended_keys_with_power(organisation).order_by("name", "pk")
    payload = {"keys": [f"{key.name} ({', '.join(key.scopes)})" for key in keys]}
    about = {"organisation": organisation}
    return _file(AccessKind.ACTIVATE_ORGANISATION, by, note, payload, once=about, **about)


def record_break_glass(
    kind: AccessKind,
    *,
    payload: Mapping[str, Any],
    person: StaffUser | None = None,
    key: ApiKey | None = None,
) -> AccessProposal:
    """Keep that a command acted at once; everybody who decides is told for some days."""
    now = timezone.now()
    proposal = AccessProposal.objects.create(
        kind=kind,
        person=person,
        key=key,
        organisation=key.organisation if key else None,
        payload=dict(payload),
        break_glass=True,
        status=AccessProposalStatus.APPROVED,
        created_at=now,
        decided_at=now,
    )
    if person is not None:
        record(event=AccessEvent.BREAK_GLASS, user=person, details=proposal.get_kind_display())
    logger.warning("access.break_glass", kind=str(kind), proposal=str(proposal.pk))
    return proposal


def _file_about_key(
    kind: AccessKind, key: ApiKey, by: StaffUser, note: str, payload: Mapping[str, Any]
) -> AccessProposal:
    once = {"key": key}
    return _file(kind, by, note, payload, once=once, organisation=key.organisation, key=key)


@transaction.atomic
def _file(
    kind: AccessKind,
    by: StaffUser | None,
    note: str,
    payload: Mapping[str, Any] | None = None,
    *,
    once: Mapping[str, Any] | None = None,
    **about: Any,
) -> AccessProposal:
    """File a proposal. `once` finds those that are the same; about a person a constraint does."""
    if once is not None:
        _require_no_other(kind, once)
    proposal = APPROVAL.propose(
        Conflict(f"{kind.label} is proposed for this person already", code="access_pending"),
        kind=kind,
        payload=dict(payload or {}),
        note=given(note, longest=LONGEST_WORDS),
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
    """Let administrators propose, and finance approvers to restore an administrator."""
    if by is None:
        return
    restoring = restores and not by.may(permission)
    require_decider(by, _RESTORE if restoring else permission, _NOT_YOURS)


def _require_no_other(kind: AccessKind, once: Mapping[str, Any]) -> None:
    with connection.cursor() as cursor:  # of two at the same moment the second one finds the first
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('access_proposal', 0))")
    pending = AccessProposal.objects.filter(kind=kind, status=AccessProposalStatus.PENDING)
    if pending.filter(**once).exists():
        raise Conflict(f"{kind.label}: the same is proposed already", code="access_pending")


def _person(user_id: UUID, by: StaffUser, *, restorable: bool) -> StaffUser:
    user = StaffUser.objects.filter(pk=user_id).first()
    if user is None:
        raise NotFound("There is no such member of staff")
    restores = restorable and manages_access(user)
    _require_proposer(by, "exchange.change_staffuser", restores=restores)
    staff.require_touchable(user, by)
    return user


def _key(key_id: UUID, by: StaffUser) -> ApiKey:
    require_decider(by, "exchange.add_apikey", "You may not propose API keys")
    key: ApiKey | None = ApiKey.objects.select_related("organisation").filter(pk=key_id).first()
    if key is None:
        raise NotFound("API key not found")
    if not key.usable:
        raise Conflict(access.UNUSABLE)
    return key


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
