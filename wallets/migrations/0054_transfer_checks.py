"""Add the condition that justifies a transfer to the rule of its kind."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("wallets", "0053_bank_words")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE wallets_transferrule ADD justified_if text NOT NULL DEFAULT ''",
            "ALTER TABLE wallets_transferrule DROP justified_if",
        ),
    ]
