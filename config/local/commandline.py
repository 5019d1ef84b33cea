"""Runs management commands, with the embedded database where no URL is set.

Concurrent commands share the embedded server; the last one stops it. Errors that an operator can
fix (no server, wrong URL, full disk, missing permission) are one line on standard error, status 1.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db.utils import OperationalError

from config.local import secrets as local_secrets
from config.local.embedded.layout import EmbeddedError, default_data_dir
from config.local.embedded.sharing import running_server
from config.local.preflight import ServerUnusable, check_server, one_line
from config.startup import load_settings
from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context

# `up` starts its own server; the others need no database.
_WITHOUT_DATABASE = {
    "check",
    "collectstatic",
    "diffsettings",
    "findstatic",
    "help",
    "spectacular",
    "startapp",
    "totp",
    "tour",
    "up",
    "version",
}
# Errors that an operator can fix; any other is a bug.
_OPERATOR_ERRNOS = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EIO,
    errno.EMFILE,
    errno.ENOENT,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}
# The runtime role must not create or truncate tables.
_AS_OWNER = {"createcachetable", "flush", "loaddata", "migrate", "retention", "sqlflush"}


def run(argv: Sequence[str]) -> None:
    """Run the command line `argv`; on failure print one line and exit with status 1."""
    arguments = list(argv)
    try:
        _run(arguments)
    except (EmbeddedError, ServerUnusable, ImproperlyConfigured) as error:
        _fail(str(error))
    except OperationalError as error:
        hint = ""
        if 'role "exchange_runtime" does not exist' in str(error):
            hint = " (run `manage.py migrate` first)"
        _fail(f"Database: {one_line(error)}{hint}")
    except OSError as error:
        if error.errno not in _OPERATOR_ERRNOS:
            raise
        _fail(f"{error.filename or default_data_dir()}: {error.strerror}")


def _run(arguments: list[str]) -> None:
    command = arguments[1] if len(arguments) > 1 else "help"
    if command == "up":
        _take_data_option(arguments)
    local = os.environ.get("DJANGO_SETTINGS_MODULE") == "config.settings.local"
    if local and command not in {"help", "version"}:
        local_secrets.store(default_data_dir())
    if command not in {"help", "version"}:
        load_settings()
    with _database_for(command, arguments, local=local):
        if command in _AS_OWNER and not any(word.startswith("--database") for word in arguments):
            if "owner" not in settings.DATABASES:
                raise ImproperlyConfigured(
                    f"`{command}` needs the owner of the tables: set DATABASE_OWNER_URL."
                )
            arguments.append("--database=owner")
        with _audit_context_for(command):
            execute_from_command_line(arguments)


def _audit_context_for(command: str) -> AbstractContextManager[None]:
    if command in _WITHOUT_DATABASE:
        return contextlib.nullcontext()
    return audit_context(Actor.system(command), f"command:{command}")


def _database_for(
    command: str, arguments: list[str], *, local: bool
) -> AbstractContextManager[None]:
    wants_help = "--help" in arguments or "-h" in arguments
    if wants_help or (command in _WITHOUT_DATABASE and "--database" not in arguments):
        return contextlib.nullcontext()
    for variable in ("DATABASE_URL", "DATABASE_OWNER_URL"):
        # `doctor` reports a server that cannot be used among its findings.
        if command != "doctor" and (url := os.environ.get(variable)):
            check_server(url, variable)
    if local and not os.environ.get("DATABASE_URL"):
        return running_server(default_data_dir())
    return contextlib.nullcontext()


def _take_data_option(arguments: list[str]) -> None:
    """Set `DATA_DIR` from `--data`, before the settings are read."""
    for index, word in enumerate(arguments):
        if word == "--data" and index + 1 < len(arguments):
            os.environ["DATA_DIR"] = str(Path(arguments[index + 1]).expanduser().absolute())
        elif word.startswith("--data="):
            folder = word.removeprefix("--data=")
            os.environ["DATA_DIR"] = str(Path(folder).expanduser().absolute())


def _fail(line: str) -> None:
    sys.stderr.write(" ".join(line.split()) + "\n")
    sys.exit(1)
