"""`manage.py unlock USERNAME`: lets somebody who is locked out of the admin try again at once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exchange.core.errors import DomainError
from exchange.staff.models import StaffUser
from exchange.staff.services import accounts as staff


class Command(BaseCommand):
    """For the administrator whom no other administrator can unlock."""

    help = "Forget the wrong tries to sign in to an account."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose."""
        parser.add_argument("username")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Unlocks the account."""
        user = StaffUser.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no member of staff called {options['username']}.")
        try:
            staff.unlock(user_id=user.pk, by=None)
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{user.username} may try again.")
