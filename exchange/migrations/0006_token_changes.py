"""Every change of what staff set about a token leaves a row."""

import django.db.models.deletion
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0005_tokens'),
    ]

    operations = [
        migrations.CreateModel(
            name='TokenChange',
            fields=[
                ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                ('pgh_label', models.TextField(help_text='The event label.')),
                ('pgh_context', models.JSONField(null=True)),
                ('pgh_context_id', models.UUIDField(null=True)),
                ('name', models.CharField(max_length=200)),
                ('image', models.CharField(blank=True, help_text='URL, or a path of this service', max_length=500)),
                ('listing_reference', models.CharField(blank=True, help_text='The listing request it came from: `request`', max_length=60)),
                ('type', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('deal_access', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('investment_type', models.CharField(choices=[('the service', 'Equity (the service)'), ('SAFE', 'SAFE'), ('Debt', 'Debt'), ('Fixed Interest', 'Fixed Interest')], max_length=20)),
                ('investment_category', models.CharField(choices=[('ETF', 'ETF'), ('Bond', 'Bond'), ('Commercial Paper', 'Commercial Paper'), ('Debt Note', 'Debt Note'), ('Real Estate', 'Real Estate'), ('Private Business', 'Private Business'), ('Startup', 'Startup'), ('Commodities', 'Commodities'), ('Fund', 'Fund'), ('Art', 'Art'), ('Music', 'Music'), ('Movie', 'Movie'), ('Charity', 'Charity')], max_length=20)),
                ('payout_frequency', models.CharField(blank=True, choices=[('', 'None'), ('Monthly', 'Monthly'), ('Quarterly', 'Quarterly'), ('Semi-Annually', 'Semi-Annually'), ('Annually', 'Annually'), ('At Maturity', 'At Maturity')], default='', max_length=20)),
                ('min_buy', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a buy order; 0: none', max_digits=38)),
                ('min_sell', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a sell order; 0: none', max_digits=38)),
                ('max_buy', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a buy order; 0: none', max_digits=38)),
                ('max_sell', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a sell order; 0: none', max_digits=38)),
                ('min_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a buy order; 0: none', max_digits=38)),
                ('min_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a sell order; 0: none', max_digits=38)),
                ('max_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a buy order; 0: none', max_digits=38)),
                ('max_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a sell order; 0: none', max_digits=38)),
                ('buy_fee', models.DecimalField(decimal_places=4, default=0, help_text='percent of the value, paid by the buyer', max_digits=12)),
                ('sell_fee', models.DecimalField(decimal_places=4, default=0, help_text='percent of the value, paid by the seller', max_digits=12)),
                ('carry', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('management_fee', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('discount', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('interest', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('dividend', models.DecimalField(decimal_places=4, default=0, help_text='percent', max_digits=12)),
                ('tenor', models.PositiveIntegerField(default=0, help_text='days')),
                ('valuation', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('post_raise_valuation', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('esop_token', models.BooleanField(default=False)),
                ('completed_raise', models.BooleanField(default=False)),
                ('secondaries', models.BooleanField(default=False, help_text='Holders may trade it; opened by staff once the raise is complete')),
                ('closed', models.BooleanField(default=False, help_text='No new orders')),
                ('exited', models.BooleanField(default=False)),
                ('cancelled', models.BooleanField(default=False)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddField(
            model_name='tokenchange',
            name='pgh_obj',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='changes', related_query_name='changes', to='exchange.token'),
        ),
        *sqlfiles.install('exchange', 'token_changes'),
    ]
