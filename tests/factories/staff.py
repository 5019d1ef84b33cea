"""Members of staff as tests want them: there for long, unless a test asks for somebody new."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import Group
from django.utils import timezone

from config.back_office import roles
from exchange.access.services import decisions
from exchange.core.ids import first_id_at
from exchange.staff.models import AccessEvent, AccessProposal, AccessRecord, StaffUser
from exchange.staff.services.accounts import add_person
from tests.environment.owner import as_owner

LONG_AGO = timedelta(days=30)


def create_staff(
    username: str, password: str, role: str, *, skip_cooling_off: bool = True
) -> StaffUser:
    """Somebody of that role, whose access was given long ago.

    The roles are those that the migrations put in force; to set them anew each time takes long.
    """
    group = Group.objects.get(name=role)
    return add_person(
        username=username, password=password, role=group, by=None, skip_cooling_off=skip_cooling_off
    )


def create_superuser(username: str = "owner", password: str = "x") -> StaffUser:
    """A superuser, whom only the owner of the database makes; access was given long ago."""
    with as_owner():
        return StaffUser.objects.create_superuser(
            username, password=password, access_changed_at=timezone.now() - LONG_AGO
        )


def backdate_access(user: StaffUser, **ago: float) -> None:
    """As if the person's access had been given or reset so long ago."""
    then = timezone.now() - timedelta(**ago)
    with as_owner():
        StaffUser.objects.filter(pk=user.pk).update(access_changed_at=then)
    user.access_changed_at = then


def backdate_installation(**ago: float) -> None:
    """As if the first person's access had been put on record so long ago."""
    then = timezone.now() - timedelta(**ago)
    person = StaffUser.objects.order_by("date_joined").first()
    assert person is not None
    AccessRecord.objects.create(
        id=first_id_at(then), at=then, event=AccessEvent.SIGNED_IN, user=person
    )


def confirm_latest(name: str = "second-person") -> AccessProposal:
    """Another administrator, there for long, confirms the last access proposal."""
    other = StaffUser.objects.filter(username=name).first() or create_staff(
        name, "correct horse battery", roles.ADMINISTRATOR
    )
    proposal = AccessProposal.objects.filter(status="Pending").latest("created_at")
    return decisions.confirm(proposal_id=proposal.pk, by=other)
