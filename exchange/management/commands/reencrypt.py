"""`manage.py reencrypt [--check]`: encrypt stored secrets with the first FIELD_ENCRYPTION_KEYS."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from exchange.core.reencryption import count_by_key, encrypted_columns, reencrypt_column


class Command(BaseCommand):
    """Exit with 1 when a value is not encrypted with the first key afterwards."""

    help = (
        "Encrypt all stored secrets with the first of FIELD_ENCRYPTION_KEYS. May be interrupted and"
        " repeated. Afterwards the other keys are not needed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the check."""
        parser.add_argument(
            "--check",
            action="store_true",
            help="change nothing; exit with 1 unless the first key alone decrypts everything",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Re-encrypt unless only checked, then print the values by key."""
        passed = True
        for column in encrypted_columns():
            if not options["check"]:
                self.stdout.write(f"{column}: re-encrypted {reencrypt_column(column)}")
            for position, count in sorted(
                count_by_key(column).items(), key=lambda item: (item[0] is None, item[0])
            ):
                if position is None:
                    self.stderr.write(
                        f"{column}: {count} decrypt with none of FIELD_ENCRYPTION_KEYS."
                        " Add the key that encrypted them"
                    )
                else:
                    self.stdout.write(f"{column}: {count} with key {position + 1}")
                passed = passed and position == 0
        if not passed:
            self.stderr.write("FIELD_ENCRYPTION_KEYS: a key other than the first is still needed")
            sys.exit(1)
