"""Permissions of payments and of reversals of deposits."""

from importlib import import_module

from django.db import migrations

from config.back_office.roles import apply_roles

BEFORE = import_module("config.migrations.0006_roles").ROLES
_VIEW = {
    "wallets.view_depositreversal",
    "wallets.view_payment",
    "wallets.view_paymentresolution",
    "wallets.view_virtualaccount",
}
ADDED = {
    "Finance approver": {"wallets.resolve_payment", "wallets.reverse_deposit"},
}
ROLES = {role: held | _VIEW | ADDED.get(role, set()) for role, held in BEFORE.items()}


def apply(apps, schema_editor):
    apply_roles(ROLES, apps, schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("config", "0006_roles"),
        ("wallets", "0019_deposits"),
    ]

    operations = [migrations.RunPython(apply, migrations.RunPython.noop)]
