"""`manage.py createapplication`: disabled; `issue_api_key` issues API keys."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """Replaces a library's command, which has no dual control."""

    help = "Disabled: use issue_api_key."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Reject the call."""
        raise CommandError("This command is disabled. Use issue_api_key to issue API keys.")
