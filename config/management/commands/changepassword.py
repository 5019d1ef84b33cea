"""`manage.py changepassword`: Django's own command, for people who decide nothing."""

from __future__ import annotations

import getpass
from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError

from exchange.staff.models import StaffUser
from exchange.staff.services.privileged_access import has_privileged_access, restart_cooling_off


class Command(changepassword.Command):
    """Refused for whoever decides: their access is reset by two people in the back office."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Change the password."""
        # Without a name, Django takes that of the account of the operating system.
        options["username"] = options["username"] or getpass.getuser()
        user = StaffUser.objects.filter(username=options["username"]).first()
        if user is not None and has_privileged_access(user):
            raise CommandError(
                "This person decides: propose a new invitation in the back office, where another"
                " person confirms it, or make somebody else with create_staff --break-glass."
            )
        done: str | None = super().handle(*args, **options)
        if user is not None:
            restart_cooling_off(user)
        return done
