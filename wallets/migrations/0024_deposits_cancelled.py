"""Whoever entered a deposit may cancel it before it is confirmed; those pending are counted."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0022_power_over_money"),
        ("wallets", "0023_approvals_of_a_day"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="deposit",
            name="deposit_reference_once",
        ),
        migrations.AlterField(
            model_name="deposit",
            name="status",
            field=models.CharField(
                choices=[
                    ("Pending", "Pending"),
                    ("Confirmed", "Confirmed"),
                    ("Rejected", "Rejected"),
                    ("Cancelled", "Cancelled"),
                ],
                default="Pending",
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="deposit",
            index=models.Index(
                condition=models.Q(("status", "Pending")),
                fields=["created_at"],
                name="deposit_pending",
            ),
        ),
        migrations.AddConstraint(
            model_name="deposit",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["Rejected", "Cancelled"]), _negated=True),
                fields=("reference",),
                name="deposit_reference_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="deposit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "Cancelled"), _negated=True),
                    models.Q(("decided_by", models.F("entered_by")), ("decided_by__isnull", False)),
                    _connector="OR",
                ),
                name="deposit_cancelled_by_who_entered_it",
            ),
        ),
    ]
