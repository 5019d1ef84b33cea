"""A deposit that was entered wrongly, and rejected, is entered again under its reference."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0016_cheaper_trades'),
        ('wallets', '0014_cheaper_checks'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='deposit',
            name='reference',
            field=models.CharField(help_text="The bank's reference of the incoming payment", max_length=100),
        ),
        migrations.AddConstraint(
            model_name='deposit',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Rejected'), _negated=True), fields=('reference',), name='deposit_reference_once'),
        ),
    ]
