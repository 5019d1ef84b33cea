"""`manage.py unlock USERNAME`: unlocks a locked-out staff account."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exchange.core.errors import DomainError
from exchange.staff.models import StaffUser
from exchange.staff.services import accounts as staff


class Command(BaseCommand):
    """For an administrator whom no other administrator can unlock."""

    help = "Unlock an account after failed sign-in attempts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the username."""
        parser.add_argument("username")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Unlock the account."""
        user = StaffUser.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"No staff account is named {options['username']}.")
        try:
            staff.unlock(user_id=user.pk, by=None)
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"Unlocked {user.username}.")
