"""`manage.py migrate`: Django's command in turns, then roles, SQL files and coming partitions.

Migrations wait for tables like the installation (`exchange.core.table_locks`). One that ends with a
lock timeout starts again; those before it stay applied.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config.back_office.roles import apply_roles
from config.database_version import EarlierVersionError, require_upgradable
from exchange.core import sqlfiles
from exchange.core.table_locks import LOCK_TIMEOUT, TablesInUse, in_turns
from exchange.partitions.services import add_partitions


class Command(migrate.Command):
    """Applies roles and installs the SQL after migrations of the whole project, not of one app."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, apply the roles, install the SQL unless it is installed, and add partitions."""
        alias = options["database"]
        try:
            require_upgradable(alias)
            with _lock_timeout(connections[alias]):
                in_turns(
                    lambda: super(Command, self).handle(*args, **options),
                    effect="this migration is not applied, those before it are",
                )
            if options["app_label"] or options["plan"] or options["check_unapplied"]:
                return
            changed = apply_roles(alias)
            installed = sqlfiles.install(alias)
            added = in_turns(lambda: add_partitions(using=alias), effect="no partition is added")
        except (EarlierVersionError, sqlfiles.InstallError, TablesInUse) as error:
            raise CommandError(str(error)) from error
        if options["verbosity"] > 0:
            self.stdout.write("Roles: applied" if changed else "Roles: nothing to apply")
            self.stdout.write("SQL: installed" if installed else "SQL: nothing to install")
            self.stdout.write(f"Partitions: {added} added")


@contextlib.contextmanager
def _lock_timeout(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Limit the wait of each statement for a lock.

    Concurrent index builds block no request and wait for every transaction: they have no limit.
    """

    def execute_concurrently(
        execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if "CONCURRENTLY" not in str(sql).upper():
            return execute(sql, params, many, context)
        execute("SET lock_timeout = 0", None, many, context)
        try:
            return execute(sql, params, many, context)
        finally:
            execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'", None, many, context)

    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'")
    try:
        with connection.execute_wrapper(execute_concurrently):
            yield
    finally:
        if connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
