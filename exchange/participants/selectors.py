"""Reading organisations' members. Every read but the back office's search by email is for one
organisation: others' do not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from exchange.participants.errors import UserNotFound
from exchange.participants.models import Member, Organisation

# Of one address in many organisations no more are told.
_MOST_WITH_EMAIL = 1_000


@dataclass(frozen=True, slots=True)
class Participant:
    """Who may own something: a member, or an organisation itself."""

    owner_id: UUID
    organisation_id: UUID


def participants_with_email(email: str) -> list[Participant]:
    """Members and organisations, of everybody, whose whole email is `email` in any case. For staff
    only.
    """
    members = Member.objects.filter(email__iexact=email).values_list("pk", "organisation_id")
    firms = Organisation.objects.filter(email__iexact=email).values_list("pk", flat=True)
    return [
        *(Participant(*found) for found in members[:_MOST_WITH_EMAIL]),
        *(Participant(pk, pk) for pk in firms[:_MOST_WITH_EMAIL]),
    ]


def members_of(organisation_id: UUID) -> QuerySet[Member]:
    """The members of an organisation."""
    return Member.objects.filter(organisation_id=organisation_id)


def get_member(organisation_id: UUID, member_id: UUID) -> Member:
    """A member of the organisation. Raises `UserNotFound`."""
    member = members_of(organisation_id).filter(id=member_id).first()
    if member is None:
        raise UserNotFound
    return member


def member_document(organisation_id: UUID, member_id: UUID) -> str:
    """The wire document of a member, JSON text. Raises `UserNotFound`."""
    text = (
        members_of(organisation_id).filter(id=member_id).values_list("document", flat=True).first()
    )
    if text is None:
        raise UserNotFound
    return text
