"""`manage.py createapplication`: taken out of use; API keys are issued by `issue_api_key`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    """Stands in the place of a library's command, which knows no second person."""

    help = "Not in use: issue_api_key issues API keys."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Refuses."""
        raise CommandError("API keys are issued by issue_api_key.")
