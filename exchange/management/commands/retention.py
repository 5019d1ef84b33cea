"""`manage.py retention [--dry-run] [--drop]`: detaches partitions that are past their retention."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exchange.core.table_locks import TablesInUse
from exchange.partitions import services
from exchange.partitions.services import Detachment


class Command(BaseCommand):
    """Works as the owner of the tables: the service may not detach or drop anything."""

    help = (
        "Detach the monthly partitions that are past their retention. They stay in the schema"
        " `partitions` as tables of their own, to be dumped; --drop removes them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the database and what to do."""
        parser.add_argument("--database", default="owner", help="alias of the owner's connection")
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would be done, and change nothing"
        )
        parser.add_argument(
            "--drop", action="store_true", help="also drop all detached partitions, with their rows"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Detach, and drop if requested; print a line for each partition."""
        try:
            self._remove(options["database"], dry_run=options["dry_run"], drop=options["drop"])
        except TablesInUse as error:
            raise CommandError(
                f"{error} Stop what holds it (a backup, a long report) and run `retention` again."
            ) from error

    def _remove(self, using: str, *, dry_run: bool, drop: bool) -> None:
        detached: list[str] = []
        for table in services.partitioned_tables():
            found = services.detach_expired(table, using=using, dry_run=dry_run)
            self._print(table, found, dry_run=dry_run)
            detached += [one.partition.name for one in found if not one.blocker]
        if not drop:
            return
        for name in dict.fromkeys([*services.detached_tables(using=using), *detached]):
            if not dry_run:
                services.drop_detached(name, using=using)
            self.stdout.write(f"{name}: {'would be dropped' if dry_run else 'dropped'}")

    def _print(self, table: str, found: list[Detachment], *, dry_run: bool) -> None:
        since = services.retained_since(table)
        if since is None:
            self.stdout.write(f"{table}: keeps everything")
            return
        self.stdout.write(f"{table}: keeps rows since {since}")
        for one in found:
            name = f"  {one.partition.name} (before {one.partition.ends})"
            if one.blocker:
                self.stdout.write(f"{name}: kept, {one.blocker}")
                continue
            verb = "would be detached" if dry_run else "detached"
            self.stdout.write(f"{name}: {verb}, about {one.rows:,} rows, {one.size}")
