"""`manage.py up`: runs the complete service on this machine."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.local.supervisor.service import Installation, UpError


class Command(BaseCommand):
    """Starts database, web, worker, beat and sandbox; stops them all on SIGTERM or Ctrl-C."""

    help = "Run the complete service on this machine until Ctrl-C or SIGTERM."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on; 0: any free")
        parser.add_argument("--data", metavar="DIR", help="data directory (default: var/)")
        parser.add_argument("--no-demo", action="store_true", help="do not load demo data")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            Installation(options["host"], options["port"], demo=not options["no_demo"]).run()
        except UpError as error:
            raise CommandError(str(error)) from error
