"""`manage.py make_roles_migration`: writes the migration that applies changed roles.

The migration contains a copy of the roles, so that later changes do not affect it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError
from django.db.migrations.loader import MigrationLoader

from config.back_office.roles import ROLES

# The apps that define the permissions.
_APPS = ("auth", "contenttypes", "exchange", "wallets", "credit", "orders")

_TEMPLATE = '''"""The roles of staff: groups with exactly these permissions."""

from django.db import migrations

from config.back_office.roles import apply_roles

ROLES = {{
{roles}
}}


def apply(apps, schema_editor):
    apply_roles(ROLES, apps, schema_editor.connection.alias)


class Migration(migrations.Migration):

    dependencies = [
{dependencies}
    ]

    operations = [migrations.RunPython(apply, migrations.RunPython.noop)]
'''


class Command(BaseCommand):
    """Writes the migration from files; needs no database."""

    help = "Write the migration that applies the current roles."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Write `config/migrations/NNNN_roles.py`, unless the last one has the same roles."""
        if last_migrated_roles() == ROLES:
            raise CommandError("The last migration already has these roles.")
        graph = MigrationLoader(None, ignore_no_migrations=True).graph
        last = graph.leaf_nodes("config")
        name = f"{int(last[0][1][:4]) + 1 if last else 1:04}_roles"
        leaves = [*last, *(node for app in _APPS for node in graph.leaf_nodes(app))]
        text = _TEMPLATE.format(
            roles="\n".join(_role(role, permissions) for role, permissions in ROLES.items()),
            dependencies="\n".join(f"        {node!r}," for node in leaves),
        )
        folder = Path(apps.get_app_config("config").path) / "migrations"
        (folder / f"{name}.py").write_text(text)
        self.stdout.write(f"config/migrations/{name}.py")


def last_migrated_roles() -> Any:
    """Return the roles of the last migration; None before the first."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    for node in loader.graph.leaf_nodes("config"):
        return vars(sys.modules[loader.disk_migrations[node].__module__])["ROLES"]
    return None


def _role(name: str, permissions: frozenset[str]) -> str:
    lines = "\n".join(f"        {permission!r}," for permission in sorted(permissions))
    return f"    {name!r}: {{\n{lines}\n    }},"
