"""Permissions of comments."""

from importlib import import_module

from django.db import migrations

from config.back_office.roles import apply_roles

BEFORE = import_module("config.migrations.0007_deposit_roles").ROLES
_ADDS = {"Finance approver", "Back office", "Credit officer", "Administrator"}
ROLES = {
    role: held
    | {"exchange.view_comment"}
    | ({"exchange.add_comment"} if role in _ADDS else set())
    for role, held in BEFORE.items()
}


def apply(apps, schema_editor):
    apply_roles(ROLES, apps, schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("config", "0007_deposit_roles"),
        ("exchange", "0016_comments"),
    ]

    operations = [migrations.RunPython(apply, migrations.RunPython.noop)]
