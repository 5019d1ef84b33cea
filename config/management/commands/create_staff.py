"""`manage.py create_staff USERNAME --role ROLE`: a member of staff for the admin."""

from __future__ import annotations

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from config.roles import ROLES, create_staff
from exchange.errors import DomainError


class Command(BaseCommand):
    """The password is asked for, or read from the first line of the standard input."""

    help = "Create a member of staff with one role; the password comes from the standard input."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Who, and what they may do."""
        parser.add_argument("username")
        parser.add_argument("--role", required=True, choices=list(ROLES))

    def handle(self, *_args: Any, **options: Any) -> None:
        """Creates the user."""
        if sys.stdin.isatty():
            password = getpass.getpass("Password: ")
        else:
            password = sys.stdin.readline().rstrip("\r\n")
        try:
            validate_password(password)
            user = create_staff(options["username"], password, options["role"])
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{user.username} may sign in at /admin/ as {options['role']}.")
