"""The organisation's own references of withdrawals."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wallets", "0013_account_kinds_checked")]

    operations = [
        migrations.AddField(
            model_name="withdrawal",
            name="client_reference",
            field=models.CharField(
                blank=True,
                help_text="The organisation's own reference",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="metadata",
            field=models.JSONField(
                blank=True, help_text="The organisation's own data", null=True
            ),
        ),
    ]
