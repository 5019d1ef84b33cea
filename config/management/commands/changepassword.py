"""`manage.py changepassword`: Django's command, for accounts without privileged access."""

import getpass
from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError

from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import has_privileged_access, restart_cooling_off


class Command(changepassword.Command):
    """Rejected for privileged access, which two people reset in the back office."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Change the password."""
        # Django's default is the name of the operating system's user.
        options["username"] = options["username"] or getpass.getuser()
        user = StaffUser.objects.filter(username=options["username"]).first()
        if user is not None and has_privileged_access(user):
            raise CommandError(
                "This account has privileged access. Propose a new invitation in the back office,"
                " or create another account with create_staff --break-glass."
            )
        done: str | None = super().handle(*args, **options)
        if user is not None:
            restart_cooling_off(user)
        return done
