"""`manage.py tour`: a deposit, a purchase and a withdrawal against the running service."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.local.demo import credentials_file
from config.local.demo.tour.client import TourFailed
from config.local.demo.tour.steps import Tour


class Command(BaseCommand):
    """Prints one line per step; exits with 1 at the first unexpected result."""

    help = (
        "Run the tour: a deposit, a purchase, a withdrawal, its payout, webhooks, proof of books."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for the service and its credentials."""
        parser.add_argument("--demo", metavar="FILE", help="demo.json (default: in DATA_DIR)")
        parser.add_argument("--base-url", help="address of the service (default: of demo.json)")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the tour."""
        if options["demo"]:
            data_dir = Path(options["demo"]).expanduser().absolute().parent
        else:
            data_dir = Path(getattr(settings, "DATA_DIR", settings.BASE_DIR / "var"))
        demo = credentials_file.read(data_dir)
        if not demo:
            raise CommandError(
                f"{data_dir / credentials_file.FILE_NAME} does not exist: start the service with"
                " `make run` and run the tour from a second terminal."
            )
        if options["base_url"]:
            base_url = options["base_url"].rstrip("/")
            demo |= {"base_url": base_url}
        started = time.monotonic()
        try:
            Tour(demo, data_dir, self._say).run()
        except TourFailed as error:
            raise CommandError(str(error)) from error
        except (KeyError, IndexError, StopIteration) as error:
            raise CommandError(f"Expected data is missing: {error!r}") from error
        self._say(f"Tour completed in {time.monotonic() - started:.1f} seconds.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
