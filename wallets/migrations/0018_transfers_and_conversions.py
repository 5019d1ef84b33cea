"""Transfers between wallets, conversions, and the settings of conversions."""

import django.db.models.deletion
import django.db.models.functions.comparison
import exchange.core.ids
from django.db import migrations, models

# Spread in basis points, and the most to be long or short of.
ADD_SETTINGS = """
INSERT INTO wallets_configuration (key, value, description, updated_at)
SELECT k.key, k.value, k.description, now()
FROM (VALUES ('NGN', 100, 100000000), ('KES', 100, 10000000), ('GHS', 100, 1000000),
             ('ZAR', 100, 1500000), ('UGX', 100, 300000000), ('TZS', 100, 200000000),
             ('USD', 0, 100000)) c (code, spread, most)
CROSS JOIN LATERAL (VALUES
    ('CONVERSION_SPREAD_' || code, spread,
     'Spread of conversions from or into ' || code || ', in basis points'),
    ('CONVERSION_POSITION_LIMIT_' || code, most,
     'Maximum that conversions may leave the exchange long or short of, in ' || code)
) k (key, value, description);
UPDATE wallets_configuration
SET description = left(key, 3) || ' per USD, for conversions and the USD value shown on withdrawals'
WHERE key LIKE '%\\_USD\\_RATE'
"""


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0012_monthly_partitions'),
        ('wallets', '0017_withdrawal_net_amount'),
    ]

    operations = [
        migrations.CreateModel(
            name='ConversionPosition',
            fields=[
                ('currency', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='+', serialize=False, to='exchange.currency')),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('deposit', 'Deposit'), ('withdrawal_hold', 'Withdrawal hold'), ('withdrawal_settle', 'Withdrawal settlement'), ('withdrawal_release', 'Withdrawal release'), ('withdrawal_reverse', 'Withdrawal reversal'), ('provider_charge', 'Provider charge'), ('wallet_transfer', 'Transfer between wallets'), ('conversion', 'Conversion'), ('units_issue', 'Issue of units'), ('units_retire', 'Retirement of units'), ('order_reserve', 'Order reservation'), ('order_release', 'Order release'), ('trade', 'Trade'), ('raise_sale', 'Raise sale'), ('raise_complete', 'Raise completion'), ('raise_refund', 'Raise refund'), ('loan_disburse', 'Loan disbursement'), ('loan_repay', 'Loan repayment'), ('loan_pledge', 'Loan pledge'), ('loan_release', 'Loan release'), ('loan_liquidate', 'Loan liquidation'), ('loan_write_off', 'Loan write-off')], max_length=30),
        ),
        migrations.CreateModel(
            name='Conversion',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('rate', models.DecimalField(decimal_places=12, help_text='Units of the target for one unit, after spread', max_digits=40)),
                ('converted_amount', models.DecimalField(decimal_places=8, help_text='What arrives', max_digits=38)),
                ('fee', models.DecimalField(decimal_places=8, help_text='The spread, in the target currency', max_digits=38)),
                ('from_rate', models.DecimalField(decimal_places=8, max_digits=30)),
                ('to_rate', models.DecimalField(decimal_places=8, max_digits=30)),
                ('from_rate_change', models.UUIDField(null=True)),
                ('to_rate_change', models.UUIDField(null=True)),
                ('from_spread', models.DecimalField(decimal_places=2, max_digits=8)),
                ('to_spread', models.DecimalField(decimal_places=2, max_digits=8)),
                ('requested_by', models.CharField(max_length=80)),
                ('created_at', models.DateTimeField()),
                ('document', models.TextField(default='', editable=False)),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                ('quote_id', models.UUIDField()),
                ('status', models.CharField(choices=[('Completed', 'Completed')], default='Completed', max_length=10)),
                ('from_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='conversions', to='exchange.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='conversions', to='exchange.organisation')),
                ('to_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['organisation', '-created_at', '-id'], name='conversion_listed'), models.Index(fields=['owner_id', '-created_at'], name='conversion_of_owner')],
                'constraints': [models.UniqueConstraint(fields=('quote_id',), name='conversion_quote_once'), models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('converted_amount__gt', 0), ('fee__gte', 0), models.Q(('from_currency', models.F('to_currency')), _negated=True)), name='conversion_amounts_positive')],
            },
        ),
        migrations.CreateModel(
            name='ConversionQuote',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('rate', models.DecimalField(decimal_places=12, help_text='Units of the target for one unit, after spread', max_digits=40)),
                ('converted_amount', models.DecimalField(decimal_places=8, help_text='What arrives', max_digits=38)),
                ('fee', models.DecimalField(decimal_places=8, help_text='The spread, in the target currency', max_digits=38)),
                ('from_rate', models.DecimalField(decimal_places=8, max_digits=30)),
                ('to_rate', models.DecimalField(decimal_places=8, max_digits=30)),
                ('from_rate_change', models.UUIDField(null=True)),
                ('to_rate_change', models.UUIDField(null=True)),
                ('from_spread', models.DecimalField(decimal_places=2, max_digits=8)),
                ('to_spread', models.DecimalField(decimal_places=2, max_digits=8)),
                ('requested_by', models.CharField(max_length=80)),
                ('created_at', models.DateTimeField()),
                ('document', models.TextField(default='', editable=False)),
                ('expires_at', models.DateTimeField()),
                ('from_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                ('to_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(fields=['created_at'], name='conversion_quote_age')],
            },
        ),
        migrations.CreateModel(
            name='WalletTransfer',
            fields=[
                ('client_reference', models.CharField(blank=True, help_text="The organisation's own reference", max_length=64, null=True)),
                ('metadata', models.JSONField(blank=True, help_text="The organisation's own data", null=True)),
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('payer_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('from_member_id', 'organisation_id'), output_field=models.UUIDField())),
                ('payee_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('to_member_id', 'organisation_id'), output_field=models.UUIDField())),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('status', models.CharField(choices=[('Completed', 'Completed')], default='Completed', max_length=10)),
                ('requested_by', models.CharField(max_length=80)),
                ('created_at', models.DateTimeField()),
                ('document', models.TextField(default='', editable=False)),
                ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('from_member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transfers_out', to='exchange.member')),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='wallet_transfers', to='exchange.organisation')),
                ('to_member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transfers_in', to='exchange.member')),
            ],
            options={
                'verbose_name': 'wallet transfer',
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['organisation', '-created_at', '-id'], name='wallet_transfer_listed'), models.Index(fields=['payer_id', '-created_at'], name='wallet_transfer_of_payer'), models.Index(fields=['payee_id', '-created_at'], name='wallet_transfer_of_payee')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='wallet_transfer_positive'), models.CheckConstraint(condition=models.Q(('payer_id', models.F('payee_id')), _negated=True), name='wallet_transfer_between_two'), models.UniqueConstraint(condition=models.Q(('client_reference__isnull', False)), fields=('client_reference', 'organisation'), name='wallet_transfer_client_reference_once')],
            },
        ),
        migrations.RunSQL(ADD_SETTINGS, migrations.RunSQL.noop),
    ]
