"""Labels of access records and of instruments."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("exchange", "0023_member_external_id")]

    operations = [
        migrations.AlterField(
            model_name="accessrecord",
            name="event",
            field=models.CharField(
                choices=[
                    ("signed_in", "Signed in"),
                    ("signed_out", "Signed out"),
                    ("refused", "Failed attempt"),
                    ("locked_out", "Locked out"),
                    ("unlocked", "Unlocked"),
                    ("confirmed", "Confirmed with a code"),
                    ("second_factor_set_up", "Set up a second factor"),
                    ("second_factor_reset", "Second factor reset"),
                    ("recovery_code_used", "Used a recovery code"),
                    ("recovery_codes_renewed", "Generated new recovery codes"),
                    ("password_changed", "Password changed"),
                    ("invited", "Invited"),
                    ("role_changed", "Role changed"),
                    ("details_changed", "Details changed"),
                    ("deactivated", "Deactivated"),
                    ("activated", "Activated"),
                    ("break_glass", "Break-glass access"),
                ],
                max_length=30,
            ),
        ),
        migrations.AlterField(
            model_name="token",
            name="investment_type",
            field=models.CharField(
                choices=[
                    ("the service", "Equity"),
                    ("SAFE", "SAFE"),
                    ("Debt", "Debt"),
                    ("Fixed Interest", "Fixed Interest"),
                ],
                max_length=20,
            ),
        ),
    ]
