"""`manage.py make_roles_migration`: writes the migration that puts changed roles in force.

The migration holds the table as it is now, so that it says the same years later.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError
from django.db.migrations.loader import MigrationLoader

from config.back_office.roles import ROLES

# Where the permissions come from.
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
    """Looks at files only, not at a database."""

    help = "Write the migration that puts the present table of roles in force."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Writes `config/migrations/NNNN_roles.py`, unless the last one says the same."""
        if last_migrated_roles() == ROLES:
            raise CommandError("The last migration says the same already.")
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
    """The table that the last migration puts in force; None before the first."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    for node in loader.graph.leaf_nodes("config"):
        return vars(sys.modules[loader.disk_migrations[node].__module__])["ROLES"]
    return None


def _role(name: str, permissions: frozenset[str]) -> str:
    lines = "\n".join(f"        {permission!r}," for permission in sorted(permissions))
    return f"    {name!r}: {{\n{lines}\n    }},"
