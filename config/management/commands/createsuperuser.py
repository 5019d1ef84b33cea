"""`manage.py createsuperuser`: Django's own command, for a new installation only."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management.base import CommandError

from exchange.staff.services.privileged_access import is_new_installation


class Command(createsuperuser.Command):
    """Refused once somebody decides: a superuser has every power, and one person made them."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Creates the superuser of a new installation."""
        if not is_new_installation():
            raise CommandError(
                "There are people who decide already: use create_staff, which asks two of them."
            )
        super().handle(*args, **options)
