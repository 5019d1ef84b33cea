"""The role Support."""

from importlib import import_module

from django.db import migrations

from config.back_office.roles import apply_roles

BEFORE = import_module("config.migrations.0013_token_proposal_roles").ROLES
_VIEWED = {
    "credit": "closureproposal loan loanconfiguration shortfall",
    "exchange": "comment event member organisation quote token",
    "orders": "order tokenproposal trade",
    "wallets": "account conversion decision deposit depositreversal entry freeze freezelift payment"
    " paymentresolution payout proposal receivable receivablewriteoff transfer virtualaccount"
    " wallettransfer withdrawal",
}
SUPPORT = {f"{app}.view_{model}" for app, models in _VIEWED.items() for model in models.split()}
ROLES = {**BEFORE, "Support": SUPPORT | {"exchange.add_comment"}}


def apply(apps, schema_editor):
    apply_roles(ROLES, apps, schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("config", "0013_token_proposal_roles"),
        ("wallets", "0043_write_off_name"),
    ]

    operations = [migrations.RunPython(apply, migrations.RunPython.noop)]
