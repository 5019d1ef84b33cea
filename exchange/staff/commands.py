"""Shared base of commands that grant access."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand


class BreakGlassCommand(BaseCommand):
    """A command that files a proposal once privileged users exist, or breaks the glass."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the option `--break-glass`."""
        parser.add_argument(
            "--break-glass",
            action="store_true",
            help="act immediately, without a second person; all privileged users are notified",
        )
