"""`manage.py create_staff USERNAME --role ROLE`: creates a staff account."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from config.back_office.roles import ROLES, create_staff, get_role
from exchange.core.errors import DomainError
from exchange.staff.commands import BreakGlassCommand
from exchange.staff.models import AccessKind
from exchange.staff.services.privileged_access import is_new_installation
from exchange.staff.services.proposals import propose_invitation, record_break_glass


class Command(BreakGlassCommand):
    """Prompts for the password, or reads the first line of standard input."""

    help = (
        "Create a staff account with one role; the password is read from standard input. After the"
        " first setup, this creates a proposal that needs two people in the back office."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the username and role."""
        parser.add_argument("username")
        parser.add_argument("--role", required=True, choices=list(ROLES))
        super().add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Create the account, or the proposal."""
        username, role = options["username"], options["role"]
        try:
            if options["break_glass"] or is_new_installation():
                _create(username, role, break_glass=options["break_glass"])
                result = f"{username} can sign in at /admin/ as {role}."
            else:
                propose_invitation(
                    username=username, role=get_role(role), by=None, note="By create_staff"
                )
                result = (
                    f"Proposed: {username} as {role}. In the back office, under Access proposals,"
                    " one person adopts it and another confirms it."
                )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(result)


def _create(username: str, role: str, *, break_glass: bool) -> None:
    if sys.stdin.isatty():
        password = getpass.getpass("Password: ")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    validate_password(password)
    with transaction.atomic():
        user = create_staff(username, password, role)
        if break_glass:
            record_break_glass(
                AccessKind.INVITE_PERSON,
                payload={"username": username, "role": role},
                person=user,
            )
