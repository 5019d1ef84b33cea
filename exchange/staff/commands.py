"""What commands share that give somebody access."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand


class BreakGlassCommand(BaseCommand):
    """A command that files a proposal once somebody decides, unless it is told to act at once."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether to act at once."""
        parser.add_argument(
            "--break-glass",
            action="store_true",
            help="act at once, without a second person; everybody who decides is told",
        )
