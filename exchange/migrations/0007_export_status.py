"""Name the status of an export that was sent in the response by what happened: downloaded."""

from django.db import migrations, models

from exchange.core.sqlfiles import Uninstalled


def _rewrite(apps, schema_editor, before, after):
    exports = apps.get_model("exchange", "Export").objects.using(schema_editor.connection.alias)
    exports.filter(status=before).update(status=after)


def apply(apps, schema_editor):
    _rewrite(apps, schema_editor, "Handed over", "Downloaded")


def revert(apps, schema_editor):
    _rewrite(apps, schema_editor, "Downloaded", "Handed over")


class Migration(migrations.Migration):
    dependencies = [("exchange", "0006_sign_in_attempts")]

    operations = [
        Uninstalled(),
        migrations.AlterField(
            "export",
            "status",
            models.CharField(
                choices=[
                    ("Waiting", "Waiting"),
                    ("Running", "Running"),
                    ("Ready", "Ready"),
                    ("Downloaded", "Downloaded"),
                    ("Failed", "Failed"),
                    ("Removed", "Removed"),
                ],
                default="Waiting",
                max_length=11,
            ),
        ),
        migrations.RunPython(apply, revert),
    ]
