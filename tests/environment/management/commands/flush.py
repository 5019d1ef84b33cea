"""`flush` for tests: restores the rows that migrations made, past the append-only triggers."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tests.environment.database import restore_seed


class Command(BaseCommand):
    """Called by Django after a test that committed; takes the arguments of Django's `flush`."""

    help = "Restore the test database to the state migrations left."
    stealth_options = ("reset_sequences", "allow_cascade", "inhibit_post_migrate")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--noinput", action="store_false", dest="interactive")
        parser.add_argument("--database", default="default")

    def handle(self, *args: Any, **options: Any) -> None:
        restore_seed()
