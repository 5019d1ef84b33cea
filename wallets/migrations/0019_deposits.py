"""Deposits by virtual account and checkout, their payments, and the states of the wire.

Confirmed deposits become Completed, rejected and cancelled ones Failed.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import exchange.core.ids
from django.conf import settings
from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import Coalesce

from exchange.core.sqlfiles import Uninstalled

MEMBERS = """
ALTER TABLE wallets_virtualaccount
    ADD CONSTRAINT virtual_account_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
ALTER TABLE wallets_paymentresolution
    ADD CONSTRAINT payment_resolution_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
"""
# Days, and whether the owner bears the provider's charge (0: the exchange does).
SETTINGS = """
INSERT INTO wallets_configuration (key, value, description, updated_at)
VALUES ('DEPOSIT_CLEARING_DAYS', 3,
        'Days until a deposit by card or mobile money is available', now()),
       ('DEPOSIT_FEE_BORNE_BY_OWNER', 0,
        'Who bears the provider''s charge of a deposit: 0 the exchange, 1 the owner', now())
"""


def rename_states(apps, schema_editor):
    rows = apps.get_model("wallets", "Deposit").objects.using(schema_editor.connection.alias)
    rows.update(updated_at=Coalesce(F("decided_at"), F("created_at")))
    rows.filter(status="Confirmed").update(status="Completed")
    rows.filter(status__in=["Rejected", "Cancelled"]).update(status="Failed")


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0012_monthly_partitions'),
        ('wallets', '0018_transfers_and_conversions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        Uninstalled(),
        migrations.CreateModel(
            name='DepositReversal',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('explanation', models.CharField(help_text="Why the money is taken back, with the provider's reference", max_length=500)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('reverse_deposit', 'Can propose and confirm reversals of deposits')],
                'abstract': False,
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('transaction_id', models.BigIntegerField(help_text="The provider's", unique=True)),
                ('tx_ref', models.CharField(blank=True, max_length=100)),
                ('status', models.CharField(choices=[('Reported', 'Reported'), ('Pending', 'Pending'), ('Credited', 'Credited'), ('Unmatched', 'Unmatched'), ('Refunded', 'Refunded'), ('Failed', 'Failed'), ('Disproved', 'Disproved')], default='Reported', max_length=10)),
                ('provider_reference', models.CharField(blank=True, help_text='`flw_ref`', max_length=100)),
                ('currency_code', models.CharField(blank=True, max_length=10)),
                ('amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('charged_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('settled_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('provider_fee', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('booked_fee', models.DecimalField(blank=True, decimal_places=8, help_text='The fee that was booked when it was kept as unmatched; null if it was not', max_digits=38, null=True)),
                ('payment_type', models.CharField(blank=True, max_length=40)),
                ('payer_name', models.CharField(blank=True, max_length=200)),
                ('paid_at', models.DateTimeField(blank=True, null=True)),
                ('last_error', models.CharField(blank=True, max_length=300)),
                ('lookups', models.PositiveIntegerField(default=0)),
                ('next_lookup_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='PaymentResolution',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('action', models.CharField(choices=[('Assign', 'Assign'), ('Refund', 'Refund')], max_length=10)),
                ('explanation', models.CharField(max_length=500)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('resolve_payment', 'Can propose and confirm what becomes of payments')],
                'abstract': False,
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='VirtualAccount',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.organisation')),
                ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.member')),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                ('reference', models.CharField(help_text='The `tx_ref` of all its payments', max_length=100, unique=True)),
                ('order_reference', models.CharField(help_text="The provider's own reference", max_length=100)),
                ('bank_name', models.CharField(max_length=200)),
                ('account_number', models.CharField(max_length=40)),
                ('account_name', models.CharField(max_length=200)),
                ('status', models.CharField(db_default='Active', default='Active', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('document', models.TextField(db_default='', default='', editable=False)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ManualDeposit',
            fields=[
            ],
            options={
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('wallets.deposit',),
        ),
        migrations.RemoveConstraint(
            model_name='deposit',
            name='deposit_amount_positive',
        ),
        migrations.RemoveConstraint(
            model_name='deposit',
            name='deposit_reference_once',
        ),
        migrations.RemoveConstraint(
            model_name='deposit',
            name='deposit_cancelled_by_who_entered_it',
        ),
        migrations.AddField(
            model_name='deposit',
            name='available_at',
            field=models.DateTimeField(blank=True, help_text='When uncleared money becomes available', null=True),
        ),
        migrations.AddField(
            model_name='deposit',
            name='channel',
            field=models.CharField(choices=[('virtual_account', 'Virtual account'), ('checkout', 'Checkout'), ('manual', 'Manual')], db_default='manual', default='manual', max_length=15),
        ),
        migrations.AddField(
            model_name='deposit',
            name='cleared_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='deposit',
            name='client_reference',
            field=models.CharField(blank=True, help_text="The organisation's own reference", max_length=64, null=True),
        ),
        migrations.AddField(
            model_name='deposit',
            name='document',
            field=models.TextField(db_default='', default='', editable=False),
        ),
        migrations.AddField(
            model_name='deposit',
            name='fee',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, help_text="The provider's charge, where the owner bears it", max_digits=38),
        ),
        migrations.AddField(
            model_name='deposit',
            name='flags',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), db_default=[], default=list, help_text='How the payment differs from its checkout', size=None),
        ),
        migrations.AddField(
            model_name='deposit',
            name='metadata',
            field=models.JSONField(blank=True, help_text="The organisation's own data", null=True),
        ),
        migrations.AddField(
            model_name='deposit',
            name='payer_account',
            field=models.CharField(blank=True, db_default='', max_length=40),
        ),
        migrations.AddField(
            model_name='deposit',
            name='payer_bank',
            field=models.CharField(blank=True, db_default='', max_length=200),
        ),
        migrations.AddField(
            model_name='deposit',
            name='payer_name',
            field=models.CharField(blank=True, db_default='', max_length=200),
        ),
        migrations.AddField(
            model_name='deposit',
            name='provider_fee',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, help_text="The provider's charge, whoever bears it", max_digits=38),
        ),
        migrations.AddField(
            model_name='deposit',
            name='provider_reference',
            field=models.CharField(blank=True, db_default='', max_length=100),
        ),
        migrations.AddField(
            model_name='deposit',
            name='redirect_url',
            field=models.CharField(blank=True, db_default='', max_length=500),
        ),
        migrations.AddField(
            model_name='deposit',
            name='updated_at',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AlterField(
            model_name='deposit',
            name='amount',
            field=models.DecimalField(decimal_places=8, help_text='What arrived; of a pending checkout what was requested', max_digits=38),
        ),
        migrations.AlterField(
            model_name='deposit',
            name='member',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.member'),
        ),
        migrations.AlterField(
            model_name='deposit',
            name='organisation',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.organisation'),
        ),
        migrations.AlterField(
            model_name='deposit',
            name='reason',
            field=models.CharField(blank=True, help_text='Why it failed', max_length=500),
        ),
        migrations.AlterField(
            model_name='deposit',
            name='reference',
            field=models.CharField(help_text="Of a manual deposit the bank's reference; else our own", max_length=100),
        ),
        migrations.AlterField(
            model_name='deposit',
            name='status',
            field=models.CharField(choices=[('Pending', 'Pending'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Reversed', 'Reversed')], default='Pending', max_length=10),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('deposit', 'Deposit'), ('deposit_clear', 'Deposit cleared'), ('deposit_charge', 'Provider charge of a deposit'), ('deposit_reverse', 'Deposit reversal'), ('payment_unmatched', 'Unmatched payment'), ('payment_refund', 'Refund of an unmatched payment'), ('receivable_repay', 'Receivable repayment'), ('withdrawal_hold', 'Withdrawal hold'), ('withdrawal_settle', 'Withdrawal settlement'), ('withdrawal_release', 'Withdrawal release'), ('withdrawal_reverse', 'Withdrawal reversal'), ('provider_charge', 'Provider charge'), ('wallet_transfer', 'Transfer between wallets'), ('conversion', 'Conversion'), ('units_issue', 'Issue of units'), ('units_retire', 'Retirement of units'), ('order_reserve', 'Order reservation'), ('order_release', 'Order release'), ('trade', 'Trade'), ('raise_sale', 'Raise sale'), ('raise_complete', 'Raise completion'), ('raise_refund', 'Raise refund'), ('loan_disburse', 'Loan disbursement'), ('loan_repay', 'Loan repayment'), ('loan_pledge', 'Loan pledge'), ('loan_release', 'Loan release'), ('loan_liquidate', 'Loan liquidation'), ('loan_write_off', 'Loan write-off')], max_length=30),
        ),
        migrations.RunPython(rename_states, migrations.RunPython.noop),
        # A table with deferred checks to come cannot get an index.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='deposit',
            index=models.Index(fields=['organisation', '-created_at', '-id'], name='deposit_listed'),
        ),
        migrations.AddIndex(
            model_name='deposit',
            index=models.Index(condition=models.Q(('available_at__isnull', False), ('cleared_at__isnull', True)), fields=['available_at'], name='deposit_uncleared'),
        ),
        migrations.AddConstraint(
            model_name='deposit',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('fee__gte', 0), ('fee__lt', models.F('amount'))), name='deposit_amount_positive'),
        ),
        migrations.AddConstraint(
            model_name='deposit',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Failed'), _negated=True), fields=('reference',), name='deposit_reference_once'),
        ),
        migrations.AddConstraint(
            model_name='deposit',
            constraint=models.UniqueConstraint(condition=models.Q(('client_reference__isnull', False)), fields=('client_reference', 'organisation'), name='deposit_client_reference_once'),
        ),
        migrations.AddField(
            model_name='depositreversal',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='depositreversal',
            name='deposit',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reversals', to='wallets.deposit'),
        ),
        migrations.AddField(
            model_name='depositreversal',
            name='proposed_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='payment',
            name='deposit',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payment', to='wallets.deposit'),
        ),
        migrations.AddField(
            model_name='paymentresolution',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='paymentresolution',
            name='member',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member'),
        ),
        migrations.AddField(
            model_name='paymentresolution',
            name='organisation',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation'),
        ),
        migrations.AddField(
            model_name='paymentresolution',
            name='payment',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='resolutions', to='wallets.payment'),
        ),
        migrations.AddField(
            model_name='paymentresolution',
            name='proposed_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='depositreversal',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ['Pending', 'Approved'])), fields=('deposit',), name='deposit_reversal_once'),
        ),
        migrations.AddIndex(
            model_name='payment',
            index=models.Index(condition=models.Q(('next_lookup_at__isnull', False)), fields=['next_lookup_at'], name='payment_lookup_due'),
        ),
        migrations.AddIndex(
            model_name='payment',
            index=models.Index(condition=models.Q(('status', 'Unmatched')), fields=['created_at'], name='payment_unmatched'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('deposit__isnull', False), ('status', 'Credited')), models.Q(models.Q(('status', 'Credited'), _negated=True), ('deposit__isnull', True)), _connector='OR'), name='payment_credited_to_deposit'),
        ),
        migrations.AddConstraint(
            model_name='paymentresolution',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ['Pending', 'Approved'])), fields=('payment',), name='payment_resolution_once'),
        ),
        migrations.AddConstraint(
            model_name='paymentresolution',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('action', 'Assign'), ('organisation__isnull', False)), models.Q(('action', 'Refund'), ('member__isnull', True), ('organisation__isnull', True)), _connector='OR'), name='payment_resolution_has_owner'),
        ),
        migrations.AddIndex(
            model_name='virtualaccount',
            index=models.Index(fields=['account_number'], name='virtual_account_number'),
        ),
        migrations.AddConstraint(
            model_name='virtualaccount',
            constraint=models.UniqueConstraint(fields=('owner_id', 'currency'), name='virtual_account_once_per_owner'),
        ),
        migrations.RunSQL(MEMBERS, migrations.RunSQL.noop),
        migrations.RunSQL(SETTINGS, migrations.RunSQL.noop),
    ]
