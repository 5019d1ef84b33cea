"""Organisations: create, change, activate and deactivate them."""

from collections.abc import Sequence
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError

from exchange.core.actors import Actor
from exchange.core.countries import check_country
from exchange.core.errors import InvalidRequest
from exchange.core.text import check_line
from exchange.participants.models import Organisation
from exchange.participants.selectors import get_organisation
from exchange.participants.services.api_keys import get_privileged_keys
from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import require_confirmation

logger = structlog.get_logger(__name__)


def create_organisation(*, name: str, email: str = "", actor: Actor) -> Organisation:
    """Create an active organisation. Raises `InvalidRequest` for an invalid name or email."""
    organisation = Organisation(name=name.strip(), email=email)
    _validate(organisation)
    organisation.save(force_insert=True)
    logger.info("organisation.created", organisation=str(organisation.id), actor=str(actor))
    return organisation


def change_organisation(
    *,
    organisation_id: UUID,
    name: str | None = None,
    email: str | None = None,
    redirect_origins: Sequence[str] | None = None,
    verification_required_for_deposits: bool | None = None,
    verification_required_for_withdrawals: bool | None = None,
    holder_kind: str | None = None,
    tax_residence: str | None = None,
    tax_id: str | None = None,
    actor: Actor,
) -> Organisation:
    """Change what is given. Raises `NotFound`, `InvalidRequest`.

    What tax follows from is changed by two people (`credit.tax_rates`).
    """
    organisation = get_organisation(organisation_id)
    given = {
        "name": None if name is None else name.strip(),
        "email": email,
        "redirect_origins": None if redirect_origins is None else list(redirect_origins),
        "verification_required_for_deposits": verification_required_for_deposits,
        "verification_required_for_withdrawals": verification_required_for_withdrawals,
        "holder_kind": holder_kind,
        "tax_residence": tax_residence,
        "tax_id": tax_id,
    }
    changes = {field: value for field, value in given.items() if value is not None}
    for field, value in changes.items():
        setattr(organisation, field, value)
    _validate(organisation)
    organisation.save(update_fields=[*changes, "updated_at"])
    logger.info("organisation.changed", organisation=str(organisation.id), actor=str(actor))
    return organisation


def set_active(
    *,
    organisation_id: UUID,
    active: bool,
    actor: Actor,
    confirmed_by: StaffUser | None = None,
) -> Organisation:
    """Activate or deactivate the organisation: its keys work, or stop, with the next request.

    Activation requires a second person when a key has privileged access. Raises `NotFound`, and
    `Forbidden` where a second person is required.
    """

    organisation = get_organisation(organisation_id)
    if active and confirmed_by is None:
        require_confirmation(needed=get_privileged_keys(organisation).exists())
    organisation.active = active
    organisation.save(update_fields=["active", "updated_at"])
    logger.info(
        "organisation.activated" if active else "organisation.deactivated",
        organisation=str(organisation.id),
        actor=str(actor),
    )
    return organisation


def _validate(organisation: Organisation) -> None:
    check_line("name", organisation.name)
    if organisation.tax_residence:
        check_country("tax_residence", organisation.tax_residence)
    try:
        organisation.full_clean()
    except ValidationError as error:
        raise InvalidRequest.from_validation_error(error) from error
