"""Permissions of treasury movements, receivables and write-offs."""

from importlib import import_module

from django.db import migrations

from config.back_office.roles import apply_roles

BEFORE = import_module("config.migrations.0010_comment_roles").ROLES
_VIEW = {
    "wallets.view_receivable",
    "wallets.view_receivablewriteoff",
    "wallets.view_treasurymovement",
}
ADDED = {
    "Finance approver": {"wallets.move_treasury", "wallets.write_off_receivable"},
}
ROLES = {role: held | _VIEW | ADDED.get(role, set()) for role, held in BEFORE.items()}


def apply(apps, schema_editor):
    apply_roles(ROLES, apps, schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("config", "0010_comment_roles"),
        ("wallets", "0026_receivable_index"),
    ]

    operations = [migrations.RunPython(apply, migrations.RunPython.noop)]
