"""Name states of settings changes, reports and decisions by the words that pages show."""

from django.db import migrations, models
from django.db.models import Q

from exchange.core.sqlfiles import Uninstalled

# Model, field, former value, value.
VALUES = (
    ("SettingChange", "status", "Taken back", "Withdrawn"),
    ("Reconciliation", "status", "Agrees", "Matched"),
    ("Decision", "verdict", "Fill in", "Add details"),
)


def _rewrite(apps, schema_editor, values):
    for model, field, before, after in values:
        rows = apps.get_model("wallets", model).objects.using(schema_editor.connection.alias)
        rows.filter(**{field: before}).update(**{field: after})


def apply(apps, schema_editor):
    _rewrite(apps, schema_editor, VALUES)


def revert(apps, schema_editor):
    _rewrite(apps, schema_editor, [(*place, after, before) for *place, before, after in VALUES])


class Migration(migrations.Migration):
    dependencies = [("wallets", "0005_review_flags")]

    operations = [
        Uninstalled(),
        migrations.RemoveConstraint("reconciliation", "reconciliation_agrees_without_differences"),
        migrations.AlterField(
            "settingchange",
            "status",
            models.CharField(
                choices=[
                    ("Pending", "Pending"),
                    ("Approved", "Approved"),
                    ("Rejected", "Rejected"),
                    ("Withdrawn", "Withdrawn"),
                    ("Cancelled", "Cancelled"),
                ],
                default="Pending",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            "reconciliation",
            "status",
            models.CharField(
                choices=[
                    ("Waiting", "Waiting"),
                    ("Running", "Running"),
                    ("Matched", "Matched"),
                    ("Differs", "Differs"),
                    ("Incomplete", "Incomplete"),
                ],
                default="Waiting",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            "decision",
            "verdict",
            models.CharField(
                choices=[
                    ("Approve", "Approve"),
                    ("Reject", "Reject"),
                    ("Cancel", "Cancel"),
                    ("Add details", "Add Details"),
                    ("Propose", "Propose"),
                    ("Confirm", "Confirm"),
                    ("Decline", "Decline"),
                ],
                max_length=11,
            ),
        ),
        migrations.RunPython(apply, revert),
        migrations.AddConstraint(
            "reconciliation",
            models.CheckConstraint(
                condition=~Q(status="Matched") | Q(differences=0, reason=""),
                name="reconciliation_matched_without_differences",
            ),
        ),
    ]
