"""`manage.py create_staff USERNAME --role ROLE`: a member of staff for the admin."""

from __future__ import annotations

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
    """The password is asked for, or read from the first line of the standard input."""

    help = (
        "Create a member of staff with one role; the password comes from the standard input. Once"
        " somebody decides, this files a proposal instead, which two people in the back office"
        " take up and confirm."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Who, and what they may do."""
        parser.add_argument("username")
        parser.add_argument("--role", required=True, choices=list(ROLES))
        super().add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Create the user, or file the proposal."""
        username, role = options["username"], options["role"]
        try:
            if options["break_glass"] or is_new_installation():
                _create(username, role, break_glass=options["break_glass"])
                done = f"{username} may sign in at /admin/ as {role}."
            else:
                propose_invitation(
                    username=username, role=get_role(role), by=None, note="By create_staff"
                )
                done = (
                    f"Proposed: {username} as {role}. In the back office, under Access proposals,"
                    " somebody takes it up and another person confirms it."
                )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(done)


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
