"""Staff for tests: established by default, so that no cooling-off period applies."""

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
    """Create staff of a role whose access was granted long ago.

    Uses the roles that the migrations made; setting them up again each time would be slow.
    """
    group = Group.objects.get(name=role)
    user = add_person(username=username, password=password, role=group, by=None)
    if skip_cooling_off:
        backdate_access(user, days=LONG_AGO.days)
    return user


def create_superuser(username: str = "owner", password: str = "x") -> StaffUser:
    """Create a superuser, as the database owner; access was granted long ago."""
    with as_owner():
        return StaffUser.objects.create_superuser(
            username, password=password, access_changed_at=timezone.now() - LONG_AGO
        )


def backdate_access(user: StaffUser, **ago: float) -> None:
    """Move the person's last access change into the past."""
    then = timezone.now() - timedelta(**ago)
    with as_owner():
        StaffUser.objects.filter(pk=user.pk).update(access_changed_at=then)
    user.access_changed_at = then


def backdate_installation(**ago: float) -> None:
    """Move the first access record of the installation into the past."""
    then = timezone.now() - timedelta(**ago)
    person = StaffUser.objects.order_by("date_joined").first()
    assert person is not None
    AccessRecord.objects.create(
        id=first_id_at(then), at=then, event=AccessEvent.SIGNED_IN, user=person
    )


def confirm_latest(name: str = "second-person") -> AccessProposal:
    """Confirm the latest access proposal as another established administrator."""
    other = StaffUser.objects.filter(username=name).first() or create_staff(
        name, "correct horse battery", roles.ADMINISTRATOR
    )
    proposal = AccessProposal.objects.filter(status="Pending").latest("created_at")
    return decisions.confirm(proposal_id=proposal.pk, by=other)
