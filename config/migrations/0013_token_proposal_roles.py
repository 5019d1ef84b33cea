"""Everybody who sees tokens sees the proposals about them."""

from importlib import import_module

from django.db import migrations

from config.back_office.roles import apply_roles

BEFORE = import_module("config.migrations.0012_hold_roles").ROLES
ROLES = {role: held | {"orders.view_tokenproposal"} for role, held in BEFORE.items()}


def apply(apps, schema_editor):
    apply_roles(ROLES, apps, schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("config", "0012_hold_roles"),
        ("orders", "0007_token_proposals"),
    ]

    operations = [migrations.RunPython(apply, migrations.RunPython.noop)]
