"""What a process that starts needs first: its settings, loaded or refused in one line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections

# Names the file that the web server makes when it will stop; `config.health` looks for it.
DRAINING_VARIABLE = "WEB_SERVER_DRAINING"
_VARIABLE = "DJANGO_SETTINGS_MODULE"
_PRODUCTION = "config.settings.production"


@contextmanager
def refusals_in_one_line() -> Iterator[None]:
    """Exit with one line and status 1 if a variable is refused inside the block."""
    try:
        yield
    except ImproperlyConfigured as error:
        raise SystemExit(" ".join(str(error).split())) from None


def load_settings() -> None:
    """Load the settings; exit with one line and status 1 if a variable is refused."""
    module = os.environ.setdefault(_VARIABLE, "config.settings.local")
    if not module.strip():
        raise SystemExit(f"{_VARIABLE}: is empty. Give {_PRODUCTION}, or remove it.")
    try:
        with refusals_in_one_line():
            settings.INSTALLED_APPS  # noqa: B018 - reading one loads all
    except ImportError as error:
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise SystemExit(f"{_VARIABLE}: no such module. Give {_PRODUCTION}.") from None
        raise


def keep_connections() -> None:
    """Let each thread keep its database connection: it has one request after another.

    The replica's stay in a pool, which drops all of them when it fails.
    """
    database = connections.settings["default"]
    if database["OPTIONS"].pop("pool", None):
        database.update(CONN_MAX_AGE=None, CONN_HEALTH_CHECKS=True)
