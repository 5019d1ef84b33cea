"""Members of an organisation: create and change them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from exchange.core.actors import Actor
from exchange.core.countries import check_country
from exchange.core.database import fetch_one, violated_constraint
from exchange.core.errors import Conflict, InvalidRequest
from exchange.core.querysets import get_or_raise
from exchange.core.text import check_line
from exchange.participants.errors import UserNotFound
from exchange.participants.models import HolderKind, Member

logger = structlog.get_logger(__name__)

_UNIQUE_FIELDS = {
    "member_email_once_per_organisation": "email",
    "member_external_id_once_per_organisation": "external_id",
}


def create_member(
    *,
    organisation_id: UUID,
    name: str,
    email: str,
    external_id: str = "",
    holder_kind: str = HolderKind.PERSON,
    tax_residence: str = "",
    tax_id: str = "",
    actor: Actor,
) -> Member:
    """Create a member.

    Raises `Conflict` when the organisation has a member with this email (in any case) or this
    `external_id`, and `InvalidRequest` for invisible characters or an unknown country.
    """
    given = _clean(
        {
            "name": name,
            "email": email,
            "external_id": external_id,
            "holder_kind": holder_kind,
            "tax_residence": tax_residence,
            "tax_id": tax_id,
        }
    )
    member = Member(organisation_id=organisation_id, **given)
    _save(member, force_insert=True)
    logger.info("member.created", member=str(member.id), actor=str(actor))
    return member


def change_member(
    *,
    member_id: UUID,
    organisation_id: UUID | None = None,
    name: str | None = None,
    email: str | None = None,
    external_id: str | None = None,
    verification: str | None = None,
    holder_kind: str | None = None,
    tax_residence: str | None = None,
    tax_id: str | None = None,
    actor: Actor,
) -> Member:
    """Change what is given, of a closed member too. Past events and payouts are unchanged.

    What tax follows from, the organisation states; staff change it by two (`credit.tax_rates`).

    Raises `UserNotFound`, also for a member of another organisation than `organisation_id`,
    `InvalidRequest`, and `Conflict` as `create_member`.
    """
    given = {
        "name": name,
        "email": email,
        "external_id": external_id,
        "verification": verification,
        "holder_kind": holder_kind,
        "tax_residence": tax_residence,
        "tax_id": tax_id,
    }
    changes = _clean(given)
    with transaction.atomic():
        rows = Member.objects.select_for_update(no_key=True).filter(id=member_id)
        if organisation_id is not None:
            rows = rows.filter(organisation_id=organisation_id)
        member = get_or_raise(rows, UserNotFound)
        for field, value in changes.items():
            setattr(member, field, value)
        try:
            member.clean_fields()
        except ValidationError as error:
            raise InvalidRequest.from_validation_error(error) from error
        _save(member, update_fields=[*changes, "updated_at"])
    logger.info("member.changed", member=str(member.id), actor=str(actor))
    return member


def _clean(given: Mapping[str, str | None]) -> dict[str, str]:
    """Return the values that are given, without white space around them."""
    cleaned = {field: value.strip() for field, value in given.items() if value is not None}
    for field, value in cleaned.items():
        check_line(field, value)
    if residence := cleaned.get("tax_residence"):
        check_country("tax_residence", residence)
    return cleaned


def hold_open(member_id: UUID | None) -> bool:
    """Return whether the member is active, which then stays so until the transaction ends.

    Money may only be promised or credited to such a member. True without a member.
    """
    if member_id is None:
        return True
    row = fetch_one("SELECT closed_at FROM exchange_member WHERE id = %s FOR SHARE", [member_id])
    return row is not None and row[0] is None


def _save(member: Member, **options: Any) -> None:
    try:
        with transaction.atomic():
            member.save(**options)
    except IntegrityError as error:
        taken = _UNIQUE_FIELDS.get(violated_constraint(error) or "")
        if taken is None:
            raise
        words = f"A member with this {taken} exists already"
        raise Conflict(words, code=f"{taken}_taken", fields={taken: words}) from error
