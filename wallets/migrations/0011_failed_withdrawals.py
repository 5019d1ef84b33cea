"""An index of failed withdrawals, by when they failed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0010_reconciliation'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='withdrawal',
            index=models.Index(condition=models.Q(('status', 'Failed')), fields=['updated_at'], name='withdrawal_failed'),
        ),
    ]
