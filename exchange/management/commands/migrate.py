"""`manage.py migrate`: Django's command, followed by the installation of the SQL files."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from exchange.core import sqlfiles


class Command(migrate.Command):
    """Installs the SQL after migrations of the whole project, not of one app."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, then install the SQL unless it is installed."""
        _require_known_state(options["database"])
        super().handle(*args, **options)
        if options["app_label"] or options["plan"] or options["check_unapplied"]:
            return
        try:
            installed = sqlfiles.install(options["database"])
        except sqlfiles.InstallError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"] > 0:
            self.stdout.write("SQL: installed" if installed else "SQL: nothing to install")


def _require_known_state(alias: str) -> None:
    """Reject a database in the middle of migrations that have since been squashed.

    Django would drop the squashed migration from its plan and report nothing to do.
    """
    applied = MigrationRecorder(connections[alias]).applied_migrations()
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    for migration in loader.disk_migrations.values():
        missing = [replaced for replaced in migration.replaces if replaced not in applied]
        if missing and len(missing) < len(migration.replaces):
            raise CommandError(
                f"The database is too old for this version ({'.'.join(missing[0])} is missing)."
                " Migrate it with the previous version first."
            )
