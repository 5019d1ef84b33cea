"""The index of income by its owner."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0007_cash_collateral'),
        ('exchange', '0006_tax_facts'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='income',
            index=models.Index(fields=['owner_id'], name='income_of_owner'),
        ),
    ]
