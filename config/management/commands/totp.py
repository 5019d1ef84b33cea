"""`manage.py totp USERNAME`: the present code of a login of the demo world.

Stands in for the phone of somebody who tries the service out. It reads the secret that a local
installation wrote into its demo.json; there is no such file anywhere else.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pyotp
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.demo import credentials_file


class Command(BaseCommand):
    """Looks into the file only, not at a database."""

    help = "Print the present code of the second factor of a demo login (local installations)."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose code."""
        parser.add_argument("username")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Prints the code, and on standard error how long it is good."""
        data_dir = getattr(settings, "DATA_DIR", None)
        if data_dir is None:
            raise CommandError("Only a local installation has a demo world.")
        staff = credentials_file.read(Path(data_dir)).get("staff", [])
        secrets = {person["username"]: person.get("totp_secret") for person in staff}
        secret = secrets.get(options["username"])
        if not secret:
            raise CommandError(
                f"{options['username']} is no login of the demo world: {', '.join(secrets)}"
            )
        app = pyotp.TOTP(secret)
        now = int(time.time())
        self.stdout.write(app.at(now))
        self.stderr.write(f"Good for {app.interval - now % app.interval} seconds, once.")
