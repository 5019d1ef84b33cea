"""Members of an organisation: creating them."""

from __future__ import annotations

from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from exchange.actors import Actor
from exchange.database import constraint_of
from exchange.errors import Conflict
from exchange.models import Member

logger = structlog.get_logger(__name__)

_TAKEN = {
    "member_email_once_per_organisation": "email",
    "member_external_id_once_per_organisation": "external_id",
}


def create_member(
    *, organisation_id: UUID, name: str, email: str, external_id: str = "", actor: Actor
) -> Member:
    """A new member. Raises `Conflict` when the organisation has one with that email (in any case)
    or `external_id`.
    """
    try:
        with transaction.atomic():
            member = Member.objects.create(
                organisation_id=organisation_id, name=name, email=email, external_id=external_id
            )
    except IntegrityError as error:
        taken = _TAKEN.get(constraint_of(error) or "")
        if taken is None:
            raise
        raise Conflict(
            f"A member with this {taken} exists already", code=f"{taken}_taken"
        ) from error
    logger.info("member.created", member=str(member.id), actor=str(actor))
    return member
