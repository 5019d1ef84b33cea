"""Permissions of freezes."""

from importlib import import_module

from django.db import migrations

from config.back_office.roles import apply_roles

BEFORE = import_module("config.migrations.0011_treasury_roles").ROLES
_VIEW = {"wallets.view_freeze", "wallets.view_freezelift"}
ADDED = {
    "Finance approver": {"wallets.lift_freeze", "wallets.place_freeze"},
    "Back office": {"wallets.place_freeze"},
}
ROLES = {role: held | _VIEW | ADDED.get(role, set()) for role, held in BEFORE.items()}


def apply(apps, schema_editor):
    apply_roles(ROLES, apps, schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("config", "0011_treasury_roles"),
        ("wallets", "0040_holds"),
    ]

    operations = [migrations.RunPython(apply, migrations.RunPython.noop)]
