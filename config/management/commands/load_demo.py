"""`manage.py load_demo`: loads the demo data. `up` runs it; repeating it changes nothing."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.local.demo import credentials_file
from config.local.demo.loader import load_demo


class Command(BaseCommand):
    """Creates missing demo data and writes DIR/demo.json."""

    help = "Load demo data: organisations, members, money, logins, tokens, withdrawals."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the addresses for demo.json, and the owner's database."""
        parser.add_argument("--base-url", default="http://127.0.0.1:8000")
        parser.add_argument("--owner-database", default="owner", help="alias of the tables' owner")
        parser.add_argument("--provider-url", default=settings.PAYMENT_PROVIDER["base_url"])

    def handle(self, *_args: Any, **options: Any) -> None:
        """Load the demo data."""
        data_dir = getattr(settings, "DATA_DIR", None)
        if data_dir is None:
            raise CommandError("Demo data is for local installations only.")
        content = load_demo(
            data_dir=Path(data_dir),
            base_url=options["base_url"].rstrip("/"),
            provider_url=options["provider_url"],
            owner=options["owner_database"],
        )
        self.stdout.write(
            f"{len(content['organisations'])} organisations, {len(content['members'])} members,"
            f" {len(content['staff'])} logins and {len(content['tokens'])} tokens are in"
            f" {Path(data_dir) / credentials_file.FILE_NAME}"
        )
