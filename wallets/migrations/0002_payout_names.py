"""Name the columns of payouts, provider events and alerts by what they count."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wallets", "0001_squashed")]

    operations = [
        migrations.RenameField("payout", "look_ups", "status_checks"),
        migrations.RenameField("payout", "watch_until", "monitor_until"),
        migrations.RenameField("providerevent", "seen", "deliveries"),
        migrations.RenameField("alert", "times", "occurrences"),
        migrations.AlterField(
            "payout",
            "monitor_until",
            models.DateTimeField(
                blank=True,
                help_text="Closed payouts are checked for a return until then",
                null=True,
            ),
        ),
        migrations.AlterField(
            "withdrawal",
            "requested_by",
            models.CharField(help_text="Actor that requested it", max_length=80),
        ),
        migrations.AlterField(
            "bankaccount",
            "name",
            models.CharField(help_text="Bank name as the provider spells it", max_length=200),
        ),
        migrations.AlterField(
            "bankaccount",
            "given_name",
            models.CharField(help_text="Account name provided by the client", max_length=200),
        ),
        migrations.AlterField(
            "decision",
            "override",
            models.CharField(
                blank=True,
                db_default="",
                help_text="Reason for approving despite a critical flag; internal",
                max_length=500,
            ),
        ),
        migrations.AlterField(
            "payoutcircuit",
            "failures",
            models.PositiveIntegerField(default=0, help_text="Consecutive, while Closed"),
        ),
        migrations.AlterField(
            "payoutcircuit",
            "quiet_until",
            models.DateTimeField(
                help_text="No requests to the provider before this time (Retry-After)", null=True
            ),
        ),
    ]
