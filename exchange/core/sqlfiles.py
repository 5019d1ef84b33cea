"""Repeatable SQL: functions, triggers, views and grants, installed as a whole after `migrate`.

Each app declares the files of its subjects' `sql` folders in the order of installation, and the
documents that its tables store (`SqlAppConfig`). `install` compares the hash of all of it with the
one that `installed_sql()` in the database returns. If they differ, it removes everything and
installs every file again, in one transaction.

Migrations have tables, columns, constraints, sequences and rows. They run with the previous SQL
installed; `Uninstalled` removes it first, for a change that a trigger or function blocks.
"""

import hashlib
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from django.apps import AppConfig, apps
from django.db import DatabaseError, connections, transaction
from django.db.backends.utils import CursorWrapper
from django.db.migrations.operations import RunSQL
from django.db.migrations.operations.base import Operation

from exchange.core.commands import Command
from exchange.core.database import LOCK_NOT_AVAILABLE
from exchange.core.documents import Document
from exchange.core.table_locks import LOCK_TIMEOUT, WAIT_SECONDS, in_turns

_ADVISORY_LOCK = 0x53514C  # "SQL"
# For another installer, whose own wait for tables is shorter.
_INSTALLER_LOCK_TIMEOUT = "30s"
# Longer than a request takes from its first statement to its last.
_DRAIN_SECONDS = 0.5


class SqlAppConfig(AppConfig):
    """An app with SQL files.

    `sql_parts` lists them in the order of installation, as `<subject>/<file without .sql>`;
    `commands` the composite types that they take, with the functions that these declare, as
    `<subject>.<name>` of a `commands` module;
    `stored_documents` the documents that a trigger stores, of a `payloads` module. `read_first`
    are tables that every request of the API reads before it calls a function.
    """

    sql_parts: ClassVar[tuple[str, ...]] = ()
    commands: ClassVar[tuple[str, ...]] = ()
    stored_documents: ClassVar[tuple[str, ...]] = ()
    read_first: ClassVar[tuple[str, ...]] = ()

    @property
    def sql_files(self) -> list[Path]:
        """The app's files, in order."""
        names = (part.partition("/") for part in self.sql_parts)
        return [Path(self.path, subject, "sql", f"{name}.sql") for subject, _, name in names]

    def documents(self) -> list[Document]:
        """Return the documents that the app's tables store."""
        return self._declared(self.stored_documents, "payloads")

    def command_types(self) -> list[type[Command]]:
        """Return the commands that the app's functions take."""
        return self._declared(self.commands, "commands")

    def _declared(self, names: tuple[str, ...], module: str) -> list[Any]:
        parts = (name.partition(".") for name in names)
        return [
            getattr(import_module(f"{self.name}.{subject}.{module}"), name)
            for subject, _, name in parts
        ]


class InstallError(Exception):
    """The SQL cannot be installed; the previous SQL is unchanged."""


class Uninstalled(RunSQL):
    """A migration operation that removes the installed SQL; `migrate` installs it again.

    Until then the service's role has no access to any table.
    """

    def __init__(self) -> None:
        # Parameters None: the text is sent as it is.
        super().__init__([(_UNINSTALL, None)], reverse_sql=[(_UNINSTALL, None)])

    # In migration files it is `Uninstalled()`.
    deconstruct = Operation.deconstruct

    def describe(self) -> str:
        """Return the description for `migrate --plan`."""
        return "Remove the installed SQL until it is installed again"


def sql_apps() -> list[SqlAppConfig]:
    """Return the apps with SQL, in the order of `INSTALLED_APPS`."""
    return [config for config in apps.get_app_configs() if isinstance(config, SqlAppConfig)]


def stored_documents() -> list[Document]:
    """Return every document that a table stores."""
    return [document for config in sql_apps() for document in config.documents()]


def declared_hash() -> str:
    """Return the hash of everything that `install` executes."""
    digest = hashlib.sha256(_UNINSTALL.encode())
    for name, text in _declared():
        digest.update(f"\0{name}\0{text}".encode())
    return digest.hexdigest()


def is_installed(alias: str = "default") -> bool:
    """Return whether the declared SQL is installed for the current tables."""
    with connections[alias].cursor() as cursor:
        return _installed_state(cursor) == _wanted_state(cursor)


def installed_state(alias: str = "default") -> str | None:
    """Return the state of the installed SQL, which each installation changes; None without one."""
    with connections[alias].cursor() as cursor:
        return _installed_state(cursor)


def install(alias: str, *, wait_seconds: float = WAIT_SECONDS) -> bool:
    """Install the declared SQL unless it is installed; return whether it was not.

    Raises TablesInUse after `wait_seconds`, InstallError with the file's name when PostgreSQL
    rejects a file.
    """

    def install_once() -> bool:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            return _install(cursor)

    return in_turns(install_once, effect="the SQL is not installed", wait_seconds=wait_seconds)


def _declared() -> Iterator[tuple[str, str]]:
    for config in sql_apps():
        for command in config.command_types():
            yield f"the type {command.sql_type}", command.type_sql()
            if command.function:
                yield f"the function {command.function}", command.function_sql()
        for path in config.sql_files:
            yield f"{config.label}/{path.relative_to(config.path)}", path.read_text()
        for document in config.documents():
            yield f"the document of {document.table}", document.trigger_sql()


def _install(cursor: CursorWrapper) -> bool:
    cursor.execute(f"SET LOCAL lock_timeout = '{_INSTALLER_LOCK_TIMEOUT}'")
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ADVISORY_LOCK])
    before = _installed_state(cursor)
    if before == _wanted_state(cursor):
        return False
    cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
    if before is not None:
        _stop_new_requests(cursor)
    # Lock all tables before the first change: any wait is here.
    cursor.execute(_LOCK_TABLES)
    changed = [document for document in stored_documents() if not document.is_installed(cursor)]
    cursor.execute(_UNINSTALL)
    for name, text in _declared():
        # Without parameters, so per cent signs are literal.
        _execute(cursor, name, text)
    # A table with checks to come cannot be altered.
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for document in changed:
        _execute(cursor, f"the document of {document.table}", document.rewrite_sql())
    cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    cursor.execute(_MARK.format(state=_wanted_state(cursor)))
    return True


def _stop_new_requests(cursor: CursorWrapper) -> None:
    """Let requests wait at the table that they read first, and those that have read it end.

    One that waited for a table inside a function would fail: its functions and types are removed.
    """
    for table in [table for config in sql_apps() for table in config.read_first]:
        cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
    time.sleep(_DRAIN_SECONDS)


def _execute(cursor: CursorWrapper, name: str, text: str) -> None:
    try:
        cursor.execute(text)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
            raise
        raise InstallError(f"{name}: {error}") from error


def _installed_state(cursor: CursorWrapper) -> str | None:
    # Calling a missing function would be an error.
    cursor.execute(
        "SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure('public.installed_sql()')"
    )
    row = cursor.fetchone()
    return row[0].removeprefix("SELECT '").removesuffix("'") if row else None


def _wanted_state(cursor: CursorWrapper) -> str:
    """Return the declared hash with the tables' columns and the server's version, which triggers
    and functions depend on.
    """
    tables = sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)})
    cursor.execute(_COLUMNS, [tables])
    return " ".join([declared_hash(), *map(str, cursor.fetchone())])


_COLUMNS = """
SELECT md5(string_agg(
           c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ','
           ORDER BY c.relname, a.attname)),
       current_setting('server_version_num')::integer / 10000
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (%s)
    AND a.attnum > 0 AND NOT a.attisdropped
"""

_MARK = """
CREATE FUNCTION public.installed_sql() RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT '{state}'$$
"""

_LOCK_TABLES = """
DO $lock$
DECLARE
    v_tables text;
BEGIN
    SELECT string_agg(oid::regclass::text, ', ' ORDER BY relname) INTO v_tables FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        AND pg_has_role(relowner, 'USAGE');
    IF v_tables IS NOT NULL THEN
        EXECUTE 'LOCK TABLE ' || v_tables || ' IN ACCESS EXCLUSIVE MODE';
    END IF;
END $lock$
"""

# Everything that files install in `public`, and triggers of partitions. Kept: functions that a
# table needs (generated column, default, constraint, index), parts of extensions, objects of other
# roles.
_UNINSTALL = """
DO $uninstall$
DECLARE
    v_command text;
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'exchange_runtime') THEN
        REVOKE ALL ON ALL TABLES IN SCHEMA public FROM exchange_runtime;
    END IF;
    FOR v_command IN
        SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass)
        FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
        WHERE NOT tgisinternal AND tgparentid = 0
            AND c.relnamespace IN ('public'::regnamespace, to_regnamespace('partitions'))
        UNION ALL
        (WITH removed AS (
            SELECT o.classid, o.oid, o.kind, o.name FROM (
                SELECT 'pg_class'::regclass AS classid, oid,
                       CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TYPE' END AS kind,
                       oid::regclass::text AS name
                FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'c')
                    AND pg_has_role(relowner, 'USAGE')
                UNION ALL
                SELECT 'pg_proc'::regclass, oid, 'ROUTINE', oid::regprocedure::text
                FROM pg_proc p
                WHERE pronamespace = 'public'::regnamespace
                    AND pg_has_role(proowner, 'USAGE')
                    AND NOT EXISTS (
                        SELECT FROM pg_depend d
                        WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
                            AND d.classid IN ('pg_attrdef'::regclass, 'pg_constraint'::regclass,
                                              'pg_class'::regclass))
            ) o
            WHERE NOT EXISTS (
                SELECT FROM pg_depend e
                WHERE e.classid = o.classid AND e.objid = o.oid AND e.deptype = 'e')
        )
        SELECT format('DROP %s %s', kind, string_agg(name, ', ')) FROM removed GROUP BY kind
        ORDER BY array_position('{VIEW,ROUTINE,TYPE}', kind))
    LOOP
        EXECUTE v_command;
    END LOOP;
END $uninstall$
"""
