"""Decisions on access proposals: confirm, reject, cancel, and collect the secret.

A second administrator or a finance approver confirms, never the person concerned. If the proposal
produces a secret (invitation link, key, token), it is created when the proposer collects it, once;
the person who confirmed never sees it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from exchange.core.actors import Actor
from exchange.core.errors import Conflict, Forbidden
from exchange.core.querysets import get_or_raise
from exchange.core.text import clean_text
from exchange.participants.models import ApiKey
from exchange.participants.services import api_keys, organisations
from exchange.staff.approvals import authorize_staff
from exchange.staff.models import AccessKind, AccessProposal, AccessProposalStatus, StaffUser
from exchange.staff.services import accounts, second_factor
from exchange.staff.services.proposals import APPROVAL, DECIDE, MAX_NOTE_LENGTH

logger = structlog.get_logger(__name__)

COLLECT_HOURS = 72
_SECRET_KINDS = frozenset(
    {
        AccessKind.INVITE_PERSON,
        AccessKind.RESET_PASSWORD,
        AccessKind.ISSUE_KEY,
        AccessKind.ROTATE_KEY,
        AccessKind.ISSUE_TOKEN,
    }
)


@dataclass(frozen=True, slots=True)
class CollectedSecret:
    """The secret of a confirmed proposal, labelled; `address` is the user id and token of an
    invitation link.
    """

    subject: StaffUser | ApiKey
    secrets: tuple[tuple[str, object], ...] = ()
    address: tuple[str, str] | None = None


def confirm(*, proposal_id: UUID, by: StaffUser) -> AccessProposal:
    """Confirm and execute a proposal as the second person, or adopt one filed by a command.

    An adopted proposal stays Pending, with a proposer. Raises `Forbidden`, `NotFound`,
    `StateConflict`, `Rejected` (`approver_not_independent`, `approvers_too_new`), and what the
    action itself raises.
    """
    authorize_staff(by, DECIDE, "You are not allowed to confirm access proposals")
    with transaction.atomic():
        proposal = APPROVAL.get_approvable(proposal_id, by)
        if proposal.proposed_by is None:
            proposal.proposed_by = by
            proposal.save(update_fields=["proposed_by"])
            logger.info("access_proposal.adopted", proposal=str(proposal.pk), by=str(by.pk))
            return proposal
        _require_active_proposer(proposal, proposal.proposed_by)
        person = _execute(proposal, proposal.proposed_by, by)
        return _close(proposal, AccessProposalStatus.APPROVED, by, person=person)


def reject(*, proposal_id: UUID, by: StaffUser, reason: str) -> AccessProposal:
    """Close a proposal without effect. Raises as `confirm`, `InvalidRequest` without a reason."""
    authorize_staff(by, DECIDE, "You are not allowed to reject access proposals")
    why = clean_text(reason, missing="Enter a reason for the rejection", max_length=MAX_NOTE_LENGTH)
    with transaction.atomic():
        proposal = APPROVAL.get_pending(proposal_id)
        return _close(proposal, AccessProposalStatus.REJECTED, by, reason=why)


def cancel(*, proposal_id: UUID, by: StaffUser) -> AccessProposal:
    """Cancel the user's own proposal. Raises `Forbidden`, `NotFound`, `StateConflict`."""
    with transaction.atomic():
        proposal = APPROVAL.get_pending(proposal_id)
        if proposal.proposed_by_id != by.pk or not (by.is_active and by.is_staff):
            raise Forbidden("Only the proposer can cancel this proposal")
        return _close(proposal, AccessProposalStatus.WITHDRAWN, by)


def is_collectable(proposal: AccessProposal) -> bool:
    """Return whether the proposer can collect a secret."""
    return (
        proposal.status == AccessProposalStatus.APPROVED
        and not proposal.break_glass
        and proposal.kind in _SECRET_KINDS
        and proposal.collected_at is None
        and proposal.decided_at is not None
        and proposal.decided_at > timezone.now() - timedelta(hours=COLLECT_HOURS)
    )


def collect(*, proposal_id: UUID, by: StaffUser) -> CollectedSecret:
    """Create the secret of a confirmed proposal for its proposer, once.

    Raises `Forbidden`, `NotFound`, `Conflict` if there is nothing to collect, and what the action
    raises.
    """
    authorize_staff(by, DECIDE, "You are not allowed to collect the secret")
    with transaction.atomic():
        proposal = APPROVAL.get(proposal_id)
        if proposal.proposed_by_id != by.pk:
            raise Forbidden("Only the proposer can collect the secret")
        if proposal.status == AccessProposalStatus.PENDING:
            raise Conflict("Nothing to collect yet: someone else must confirm the proposal first")
        if not is_collectable(proposal):
            raise Conflict("Nothing to collect: already collected or expired. Make a new proposal")
        _require_active_proposer(proposal, by)
        found = _create_secret(proposal, by)
        proposal.collected_at = timezone.now()
        if isinstance(found.subject, ApiKey):
            proposal.key = found.subject
        proposal.save(update_fields=["collected_at", "key"])
    logger.info("access_proposal.collected", proposal=str(proposal.pk), by=str(by.pk))
    return found


def _execute(
    proposal: AccessProposal, proposer: StaffUser, confirmed_by: StaffUser
) -> StaffUser | None:
    """Execute the part that needs no secret; return the user concerned."""
    payload = proposal.payload
    person = proposal.person
    match proposal.kind:
        case AccessKind.INVITE_PERSON:
            return accounts.add_person(
                username=payload["username"],
                role=_get_role(payload["role"]),
                details=payload["details"],
                by=proposer,
                confirmed_by=confirmed_by,
            )
        case AccessKind.RESET_SECOND_FACTOR if person:
            second_factor.reset(user_id=person.pk, by=proposer, confirmed_by=confirmed_by)
        case AccessKind.ACTIVATE_PERSON if person:
            accounts.activate(user_id=person.pk, by=proposer, confirmed_by=confirmed_by)
        case AccessKind.CHANGE_ROLE if person:
            role = _get_role(payload["role"]) if payload["role"] else None
            accounts.change_role(
                user_id=person.pk,
                role=role,
                expected_role=payload["seen"],
                by=proposer,
                confirmed_by=confirmed_by,
            )
        case AccessKind.ACTIVATE_ORGANISATION if proposal.organisation:
            organisations.set_active(
                organisation_id=proposal.organisation.pk,
                active=True,
                actor=Actor.staff(proposer.pk, str(proposer)),
                confirmed_by=confirmed_by,
            )
    return person


def _create_secret(proposal: AccessProposal, by: StaffUser) -> CollectedSecret:
    actor = Actor.staff(by.pk, str(by))
    payload = proposal.payload
    confirmed_by = proposal.decided_by
    match proposal.kind:
        case AccessKind.ISSUE_KEY if proposal.organisation:
            key, secret = api_keys.issue_api_key(
                organisation=proposal.organisation,
                name=payload["name"],
                scopes=payload["scopes"],
                expires_at=_parse_time(payload["expires_at"]),
                actor=actor,
                confirmed_by=confirmed_by,
            )
            return CollectedSecret(key, (("Client ID", key.client_id), ("Client secret", secret)))
        case AccessKind.ROTATE_KEY if proposal.key:
            key, secret = api_keys.rotate_api_key(
                key_id=proposal.key.pk,
                overlap=timedelta(hours=payload["overlap_hours"]),
                expires_at=_parse_time(payload["expires_at"]),
                actor=actor,
                confirmed_by=confirmed_by,
            )
            shown = (("New client ID", key.client_id), ("New client secret", secret))
            return CollectedSecret(key, shown)
        case AccessKind.ISSUE_TOKEN if proposal.key:
            token = api_keys.issue_access_token(
                key=proposal.key,
                lifetime=timedelta(days=payload["days"]),
                actor=actor,
                confirmed_by=confirmed_by,
            )
            return CollectedSecret(proposal.key, (("Access token", token),))
        case _ if proposal.person:
            address = accounts.create_invitation(
                user_id=proposal.person.pk, by=by, confirmed_by=confirmed_by
            )
            return CollectedSecret(proposal.person, address=address)
    raise Conflict("Nothing to collect")


def _close(
    proposal: AccessProposal, status: AccessProposalStatus, by: StaffUser, **changes: Any
) -> AccessProposal:
    closed = APPROVAL.close(proposal, status, by, **changes)
    logger.info(
        "access_proposal.closed", proposal=str(proposal.pk), status=str(status), by=str(by.pk)
    )
    return closed


def _require_active_proposer(proposal: AccessProposal, proposer: StaffUser) -> None:
    """Raise `Conflict` if the proposer was deactivated or reset since."""
    if not proposer.is_active or proposer.access_changed_at > proposal.created_at:
        raise Conflict(
            f"The proposer {proposer} was deactivated or reset since. Make a new proposal"
        )


def _get_role(name: str) -> Group:
    roles = Group.objects.filter(name=name)
    return get_or_raise(roles, lambda: Conflict(f"The role {name} no longer exists"))


def _parse_time(text: str | None) -> datetime | None:
    return parse_datetime(text) if text else None
