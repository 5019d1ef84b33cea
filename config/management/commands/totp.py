"""`manage.py totp USERNAME`: the current authenticator code of a demo login.

Replaces the authenticator app when trying out the service. Reads the secret from demo.json, which
only local installations have.
"""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pyotp
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.local.demo import credentials_file


class Command(BaseCommand):
    """Prints the code from the file; needs no database."""

    help = "Print the current authenticator code of a demo login (local installations only)."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the username."""
        parser.add_argument("username")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the code, and its remaining validity on standard error."""
        data_dir = getattr(settings, "DATA_DIR", None)
        if data_dir is None:
            raise CommandError("Demo data exists in local installations only.")
        staff = credentials_file.read(Path(data_dir)).get("staff", [])
        secrets = {person["username"]: person.get("totp_secret") for person in staff}
        secret = secrets.get(options["username"])
        if not secret:
            raise CommandError(
                f"{options['username']} is not a demo login. Demo logins: {', '.join(secrets)}"
            )
        app = pyotp.TOTP(secret)
        now = int(time.time())
        self.stdout.write(app.at(now))
        seconds = app.interval - now % app.interval
        self.stderr.write(f"Valid for {seconds} seconds, for one sign-in.")
