"""Rename `EndingProposal` to `ClosureProposal`. The table and its rows stay as they are."""

import django.db.models.deletion
from django.db import migrations, models

_ACTIONS = ("add", "change", "delete", "view")


def _rename_permissions(apps, using, old, new):
    """Rename Django's own permissions of the model, so that roles keep them."""
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    for action in _ACTIONS:
        permissions.filter(
            content_type__app_label="credit", codename=f"{action}_{old.replace(' ', '')}"
        ).update(codename=f"{action}_{new.replace(' ', '')}", name=f"Can {action} {new}")


def apply(apps, schema_editor):
    using = schema_editor.connection.alias
    _rename_permissions(apps, using, "ending proposal", "closure proposal")


def revert(apps, schema_editor):
    using = schema_editor.connection.alias
    _rename_permissions(apps, using, "closure proposal", "ending proposal")


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("credit", "0001_squashed"),
        # Grants the permission under its former name.
        ("config", "0003_roles"),
    ]

    operations = [
        migrations.AlterModelTable("EndingProposal", "credit_endingproposal"),
        migrations.RenameModel("EndingProposal", "ClosureProposal"),
        migrations.AlterField(
            "ClosureProposal",
            "loan",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="closure_proposals",
                to="credit.loan",
            ),
        ),
        migrations.RunPython(apply, revert),
    ]
