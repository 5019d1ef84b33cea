"""`manage.py issue_api_key ORGANISATION --name NAME --scopes …`: issues an API key."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from exchange.api.filters import TimestampParameter
from exchange.core.actors import Actor
from exchange.core.errors import DomainError
from exchange.core.ids import parse_id
from exchange.participants.models import Organisation
from exchange.participants.services.api_keys import has_privileged_scope, issue_api_key
from exchange.participants.services.proposals import propose_key
from exchange.staff.commands import BreakGlassCommand
from exchange.staff.models import AccessKind
from exchange.staff.services.privileged_access import is_new_installation
from exchange.staff.services.proposals import record_break_glass


class Command(BreakGlassCommand):
    """Prints the new key's client id and secret, once: the secret is stored hashed."""

    help = (
        "Issue an API key to an organisation and print its client id and secret. After the first"
        " setup, a key with privileged scopes becomes a proposal that needs two people in the back"
        " office."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the properties of the key."""
        parser.add_argument("organisation", help="id or exact name of the organisation")
        parser.add_argument("--name", required=True, help="what the key is for")
        parser.add_argument(
            "--scopes",
            nargs="+",
            required=True,
            choices=[*settings.SCOPES, "all"],
            metavar="SCOPE",
            help=f"all, or some of: {', '.join(settings.SCOPES)}",
        )
        parser.add_argument(
            "--expires", help="ISO 8601 date (its first instant in UTC) or time with its offset"
        )
        super().add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Issue the key and print it, or create the proposal."""
        properties: dict[str, Any] = {
            "organisation": _organisation(options["organisation"]),
            "name": options["name"],
            "scopes": settings.SCOPES if "all" in options["scopes"] else options["scopes"],
            "expires_at": _parse_expiry(options["expires"]),
        }
        break_glass = options["break_glass"]
        immediate = (
            break_glass or not has_privileged_scope(properties["scopes"]) or is_new_installation()
        )
        try:
            if not immediate:
                propose_key(**properties, by=None, note="By issue_api_key")
                self.stdout.write(
                    "Proposed: the key has privileged scopes. In the back office, under Access"
                    " proposals, one person adopts it, another confirms it, and the first collects"
                    " the secret."
                )
                return
            with transaction.atomic():
                key, secret = issue_api_key(**properties, actor=Actor.system("issue_api_key"))
                if break_glass:
                    payload = {"name": key.name, "scopes": sorted(key.scopes)}
                    record_break_glass(
                        AccessKind.ISSUE_KEY,
                        payload=payload,
                        key=key,
                        organisation=key.organisation,
                    )
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"organisation:  {key.organisation.name} ({key.organisation_id})")
        self.stdout.write(f"client_id:     {key.client_id}")
        self.stdout.write(f"client_secret: {secret}")
        self.stdout.write(f"scopes:        {' '.join(key.scopes)}")
        self.stdout.write(f"expires:       {key.expires_at or 'no expiry'}")
        self.stdout.write("Save the client secret now: it is not shown again.")


def _organisation(text: str) -> Organisation:
    identifier = parse_id(text)
    matches = list(
        Organisation.objects.filter(**({"id": identifier} if identifier else {"name": text}))[:2]
    )
    if len(matches) != 1:
        problem = "Several organisations are" if matches else "No organisation is"
        raise CommandError(f"{problem} named {text!r}")
    return matches[0]


def _parse_expiry(text: str | None) -> datetime | None:
    try:
        moment: datetime | None = TimestampParameter(
            step=timedelta.resolution, end=False
        ).to_python(text)
    except ValidationError as error:
        raise CommandError(f"--expires {error.message}") from error
    return moment
