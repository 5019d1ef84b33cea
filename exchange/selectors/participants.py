"""Reading organisations' members. Every read is for one organisation: others' do not exist."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from exchange.errors import UserNotFound
from exchange.models import Member


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
