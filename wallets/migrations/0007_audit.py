"""What is audited of wallets."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("wallets", "0006_loans"), ("exchange", "0010_audit")]

    operations = [
        *sqlfiles.install("wallets", "audited"),
        migrations.RunSQL(
            "SELECT adopt_history('wallets_configurationchange', 'wallets_configuration')",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL("DROP FUNCTION adopt_history", migrations.RunSQL.noop),
        migrations.DeleteModel(name="ConfigurationChange"),
    ]
