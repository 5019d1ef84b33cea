"""Two people may return an Approved withdrawal whose payout nobody has claimed."""

from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ("wallets", "0021_payout_circuit"),
    ]

    operations = [
        migrations.AlterField(
            model_name='proposal',
            name='action',
            field=models.CharField(choices=[('Send again', 'Send Again'), ('Fail', 'Fail'), ('Reverse', 'Reverse'), ('Return', 'Return')], max_length=12),
        ),
        *sqlfiles.install("wallets", "withdrawal_transitions"),
    ]
