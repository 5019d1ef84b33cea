"""The service identities that decide for the sandbox: staff without a password or second factor.

They cannot sign in. The demo data creates them, as the owner of the tables, who alone can make
people tenured: the guards of the database see two people, and refuse one.
"""

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone

from config.back_office.roles import BACK_OFFICE, FINANCE_APPROVER, get_role
from exchange.core.errors import Conflict
from exchange.staff.models import StaffUser
from exchange.staff.services.accounts import add_person

# Prepares quotes; the others decide.
PREPARER = "sandbox.preparer"
FIRST, SECOND = "sandbox.first", "sandbox.second"
_ROLES = {PREPARER: BACK_OFFICE, FIRST: FINANCE_APPROVER, SECOND: FINANCE_APPROVER}
_TENURE = timedelta(days=30)


class SandboxNotPrepared(Conflict):
    """The installation has no identities that decide."""

    code = "sandbox_not_prepared"
    message = "The sandbox cannot decide yet: run manage.py load_demo once"


def create_identities(owner: str) -> None:
    """Create the missing identities. `owner` is the database alias of the owner of the tables."""
    for username, role in _ROLES.items():
        if not StaffUser.objects.filter(username=username).exists():
            add_tenured_person(username, role, owner)


def add_tenured_person(
    username: str, role: str, owner: str, details: Mapping[str, str] | None = None
) -> StaffUser:
    """Create a person who has had the role long enough to decide."""
    person = add_person(username=username, role=get_role(role), by=None, details=details)
    StaffUser.objects.using(owner).filter(pk=person.pk).update(
        access_changed_at=timezone.now() - _TENURE
    )
    return person


def has_identities(using: str) -> bool:
    """Return whether the database of this alias has all identities."""
    return StaffUser.objects.using(using).filter(username__in=_ROLES).count() == len(_ROLES)


def get_identity(username: str) -> StaffUser:
    """Return an identity. Raises `SandboxNotPrepared`."""
    person = StaffUser.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise SandboxNotPrepared
    return person
