"""`manage.py createsuperuser`: Django's own command, for a new installation only."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management.base import CommandError

from exchange.staff.services.privileged_access import is_new_installation


class Command(createsuperuser.Command):
    """Rejected once anyone has privileged access: one person would create a superuser alone."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the superuser of a new installation."""
        if not is_new_installation():
            raise CommandError(
                "Accounts with privileged access exist already. Use create_staff, which needs dual"
                " approval."
            )
        super().handle(*args, **options)
