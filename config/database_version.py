"""Refuses a database of a version before 1.0.0, whose migrations are gone."""

from django.conf import settings
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

# Every version before 1.0.0 applied it, and none since.
_FORMER = ("config", "0003_roles")


class EarlierVersionError(Exception):
    """The database cannot be upgraded; the message is one line with the remedy."""


def require_upgradable(alias: str) -> None:
    """Raise EarlierVersionError for a database of a version before 1.0.0.

    Django would take some of its migrations for ours, and leave its tables as they are.
    """
    if _FORMER not in MigrationRecorder(connections[alias]).applied_migrations():
        return
    remedy = "use a new database"
    if getattr(settings, "EMBEDDED_DATABASE", False):
        remedy = f"remove {settings.DATA_DIR} to start anew"
    raise EarlierVersionError(f"The data is of a version before 1.0.0, not upgradable: {remedy}.")
