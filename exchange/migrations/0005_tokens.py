"""Tokens, who may see them, their quotes, and the version of the catalogue."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.text
import exchange.ids
from exchange import payloads, sqlfiles
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0004_event_body'),
    ]

    operations = [
        migrations.CreateModel(
            name='Catalogue',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('version', models.BigIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('symbol', models.CharField(max_length=20, unique=True)),
                ('reference', models.BigIntegerField(help_text='A running number', unique=True)),
                ('image', models.CharField(blank=True, help_text='URL, or a path of this service', max_length=500)),
                ('listing_reference', models.CharField(blank=True, help_text='The listing request it came from: `request`', max_length=60)),
                ('type', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('deal_access', models.CharField(choices=[('Private', 'Private'), ('Public', 'Public')], default='Public', max_length=10)),
                ('investment_type', models.CharField(choices=[('the service', 'Equity (the service)'), ('SAFE', 'SAFE'), ('Debt', 'Debt'), ('Fixed Interest', 'Fixed Interest')], max_length=20)),
                ('investment_category', models.CharField(choices=[('ETF', 'ETF'), ('Bond', 'Bond'), ('Commercial Paper', 'Commercial Paper'), ('Debt Note', 'Debt Note'), ('Real Estate', 'Real Estate'), ('Private Business', 'Private Business'), ('Startup', 'Startup'), ('Commodities', 'Commodities'), ('Fund', 'Fund'), ('Art', 'Art'), ('Music', 'Music'), ('Movie', 'Movie'), ('Charity', 'Charity')], max_length=20)),
                ('payout_frequency', models.CharField(blank=True, choices=[('', 'None'), ('Monthly', 'Monthly'), ('Quarterly', 'Quarterly'), ('Semi-Annually', 'Semi-Annually'), ('Annually', 'Annually'), ('At Maturity', 'At Maturity')], default='', max_length=20)),
                ('price_buy', models.DecimalField(decimal_places=8, default=0, help_text='What a buyer pays for a unit; in a primary raise, the offer', max_digits=38)),
                ('price_sell', models.DecimalField(decimal_places=8, default=0, help_text='What a seller gets for a unit; lending values collateral by it', max_digits=38)),
                ('price_exchange', models.DecimalField(decimal_places=8, default=0, help_text='Units of the currency for one USD', max_digits=38)),
                ('prev_price_buy', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('prev_price_sell', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('prev_price_exchange', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('quoted_at', models.DateTimeField(blank=True, help_text='When the quotes were last approved', null=True)),
                ('min_buy', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a buy order; 0: none', max_digits=38)),
                ('min_sell', models.DecimalField(decimal_places=8, default=0, help_text='Lowest price of a sell order; 0: none', max_digits=38)),
                ('max_buy', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a buy order; 0: none', max_digits=38)),
                ('max_sell', models.DecimalField(decimal_places=8, default=0, help_text='Highest price of a sell order; 0: none', max_digits=38)),
                ('min_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a buy order; 0: none', max_digits=38)),
                ('min_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Smallest value of a sell order; 0: none', max_digits=38)),
                ('max_trade_buy', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a buy order; 0: none', max_digits=38)),
                ('max_trade_sell', models.DecimalField(decimal_places=8, default=0, help_text='Largest value of a sell order; 0: none', max_digits=38)),
                ('vol_buy', models.DecimalField(decimal_places=8, default=0, help_text='Units bought so far', max_digits=38)),
                ('vol_sell', models.DecimalField(decimal_places=8, default=0, help_text='Units sold so far by holders', max_digits=38)),
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
                ('total_supply', models.DecimalField(decimal_places=8, default=0, help_text='All units there are', max_digits=38)),
                ('supply', models.DecimalField(decimal_places=8, default=0, help_text='Units that investors hold', max_digits=38)),
                ('total_allocated', models.DecimalField(decimal_places=8, default=0, help_text='Units allocated to investors by the raise', max_digits=38)),
                ('raise_amount', models.DecimalField(decimal_places=8, default=0, help_text='What the raise is to bring; 0: there is none', max_digits=38)),
                ('total_raised', models.DecimalField(decimal_places=8, default=0, help_text='What the raise has brought so far', max_digits=38)),
                ('completed_raise', models.BooleanField(default=False)),
                ('secondaries', models.BooleanField(default=False, help_text='Holders may trade it; opened by staff once the raise is complete')),
                ('closed', models.BooleanField(default=False, help_text='No new orders')),
                ('exited', models.BooleanField(default=False)),
                ('cancelled', models.BooleanField(default=False)),
                ('esop_token', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('document', models.TextField(default='', editable=False)),
                ('words', models.GeneratedField(db_persist=True, expression=django.contrib.postgres.search.SearchVector(models.Func(models.F('name'), models.Value('[^[:alnum:]]+'), models.Value(' '), models.Value('g'), function='regexp_replace', output_field=models.TextField()), config='simple'), output_field=django.contrib.postgres.search.SearchVectorField())),
                ('creator', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member')),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('issuer', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='issued_tokens', to='exchange.organisation')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('propose_quote', 'Can propose quotes'), ('decide_quote', 'Can approve and reject quotes'), ('end_token', 'Can close, exit and cancel tokens and their raises')],
            },
        ),
        migrations.CreateModel(
            name='Quote',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('buy', models.DecimalField(decimal_places=8, max_digits=38)),
                ('sell', models.DecimalField(decimal_places=8, max_digits=38)),
                ('exchange', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('reason', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quotes', to='exchange.token')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='TokenAccess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('granted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='token_grants', to='exchange.organisation')),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='exchange.token')),
            ],
            options={
                'verbose_name': 'access to a token',
                'verbose_name_plural': 'access to tokens',
            },
        ),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(condition=models.Q(('cancelled', False)), fields=['-created_at', '-id'], include=('deal_access', 'issuer', 'closed', 'exited', 'completed_raise', 'secondaries', 'type', 'investment_type', 'investment_category', 'currency'), name='token_listed'),
        ),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(condition=models.Q(('cancelled', False)), fields=['name', 'id'], name='token_by_name'),
        ),
        migrations.AddIndex(
            model_name='token',
            index=django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=['words'], name='token_words'),
        ),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(django.contrib.postgres.indexes.OpClass(django.db.models.functions.text.Upper('symbol'), name='text_pattern_ops'), name='token_symbol_start'),
        ),
        migrations.AddIndex(
            model_name='token',
            index=models.Index(fields=['issuer'], name='token_issuer'),
        ),
        migrations.AddConstraint(
            model_name='token',
            constraint=models.CheckConstraint(condition=models.Q(('secondaries', False), ('completed_raise', True), _connector='OR'), name='token_secondaries_after_raise'),
        ),
        migrations.AddConstraint(
            model_name='token',
            constraint=models.CheckConstraint(condition=models.Q(('completed_raise', True), models.Q(('price_buy__gt', 0), ('raise_amount__gt', 0)), _connector='OR'), name='token_raise_has_an_offer'),
        ),
        migrations.AddConstraint(
            model_name='token',
            constraint=models.CheckConstraint(condition=models.Q(('buy_fee__range', (0, 50)), ('sell_fee__range', (0, 50))), name='token_fees_within_half'),
        ),
        migrations.AddConstraint(
            model_name='token',
            constraint=models.CheckConstraint(condition=models.Q(('supply__gte', 0), ('supply__lte', models.F('total_supply'))), name='token_supply_within_total'),
        ),
        migrations.AddConstraint(
            model_name='quote',
            constraint=models.CheckConstraint(condition=models.Q(('buy__gt', 0), ('exchange__gte', 0), ('sell__gt', 0)), name='quote_positive'),
        ),
        migrations.AddConstraint(
            model_name='quote',
            constraint=models.CheckConstraint(condition=models.Q(('decided_by__isnull', True), models.Q(('status', 'Approved'), _negated=True), models.Q(('decided_by', models.F('proposed_by')), _negated=True), _connector='OR'), name='quote_approved_by_another'),
        ),
        migrations.AddConstraint(
            model_name='quote',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('token',), name='quote_pending_once'),
        ),
        migrations.AddConstraint(
            model_name='tokenaccess',
            constraint=models.UniqueConstraint(fields=('organisation', 'token'), name='token_access_once'),
        ),
        *sqlfiles.install("exchange", "ids", "tokens", "token_guard"),
        payloads.TOKEN.install(),
    ]
