"""Name the permission and the constraint of loan closures after closures."""

from django.db import migrations, models
from django.db.models import Q


def _rename_permission(apps, using, old, new):
    """Rename the permission itself, so that roles keep it."""
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    permissions.filter(content_type__app_label="credit", codename=old).update(codename=new)


def apply(apps, schema_editor):
    _rename_permission(apps, schema_editor.connection.alias, "end_loan", "close_loan")


def revert(apps, schema_editor):
    _rename_permission(apps, schema_editor.connection.alias, "close_loan", "end_loan")


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("credit", "0003_field_descriptions"),
        # Grants the permission under its former name.
        ("config", "0003_roles"),
    ]

    operations = [
        migrations.RemoveConstraint("closureproposal", "ending_pending_once"),
        migrations.AddConstraint(
            "closureproposal",
            models.UniqueConstraint(
                fields=["loan"], condition=Q(status="Pending"), name="closure_pending_once"
            ),
        ),
        migrations.AlterModelOptions(
            "closureproposal",
            {
                "ordering": ["-created_at", "-id"],
                "permissions": [("close_loan", "Can propose and confirm liquidations and write-offs")],
            },
        ),
        migrations.RunPython(apply, revert),
    ]
