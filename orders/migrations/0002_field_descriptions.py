import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0001_squashed'),
    ]

    operations = [
        migrations.AlterField(
            model_name='order',
            name='charged_fee',
            field=models.DecimalField(decimal_places=8, default=0, help_text='Fee: paid on top of charged (Buy), or deducted from it (Sell)', max_digits=38),
        ),
        migrations.AlterField(
            model_name='order',
            name='client_order_id',
            field=models.CharField(blank=True, help_text="The organisation's own ID for the order", max_length=64),
        ),
        migrations.AlterField(
            model_name='order',
            name='reason',
            field=models.CharField(blank=True, help_text='Why the remainder was cancelled', max_length=100),
        ),
        migrations.AlterField(
            model_name='order',
            name='reserved',
            field=models.DecimalField(decimal_places=8, default=0, help_text='Still reserved for the open remainder: money of a Buy, units of a Sell', max_digits=38),
        ),
        migrations.AlterField(
            model_name='trade',
            name='half_even',
            field=models.BooleanField(db_default=False, editable=False, help_text='Predates decision 22: charges rounded half-even'),
        ),
        migrations.AlterField(
            model_name='trade',
            name='sell_order',
            field=models.ForeignKey(db_constraint=False, help_text='NULL: sold by the issuer', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='orders.order'),
        ),
        migrations.AlterField(
            model_name='trade',
            name='taker',
            field=models.CharField(choices=[('Buy', 'Buy'), ('Sell', 'Sell')], help_text='Side of the incoming order', max_length=4),
        ),
    ]
