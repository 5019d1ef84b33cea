"""Treasury movements, and write-offs of what owners owe."""

import django.db.models.deletion
import exchange.core.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0013_redirect_origins'),
        ('wallets', '0024_closed_accounts_checked'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ReceivableWriteOff',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('explanation', models.CharField(help_text='Why the debt will not be paid', max_length=500)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('write_off_receivable', 'Can propose and confirm write-offs of debts')],
                'abstract': False,
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='TreasuryMovement',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('kind', models.CharField(choices=[('top_up', 'Float top-up'), ('draw_down', 'Float draw-down'), ('fee_payout', 'Payout of fee income'), ('position_close', 'Closing of a position')], max_length=20)),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('charge', models.DecimalField(decimal_places=8, default=0, help_text='What the payment provider kept, in addition or of a top-up', max_digits=38)),
                ('bought_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('closed_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('reference', models.CharField(help_text='Of the bank', max_length=100)),
                ('note', models.CharField(max_length=300)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('move_treasury', 'Can propose and confirm treasury movements')],
                'abstract': False,
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='Receivable',
            fields=[
            ],
            options={
                'ordering': ['-id'],
                'proxy': True,
                'default_permissions': ('view',),
                'indexes': [],
                'constraints': [],
            },
            bases=('wallets.account',),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('deposit', 'Deposit'), ('deposit_clear', 'Deposit cleared'), ('deposit_charge', 'Provider charge of a deposit'), ('deposit_reverse', 'Deposit reversal'), ('payment_unmatched', 'Unmatched payment'), ('payment_refund', 'Refund of an unmatched payment'), ('receivable_repay', 'Receivable repayment'), ('receivable_write_off', 'Receivable write-off'), ('withdrawal_hold', 'Withdrawal hold'), ('withdrawal_settle', 'Withdrawal settlement'), ('withdrawal_release', 'Withdrawal release'), ('withdrawal_reverse', 'Withdrawal reversal'), ('provider_charge', 'Provider charge'), ('wallet_transfer', 'Transfer between wallets'), ('conversion', 'Conversion'), ('treasury', 'Treasury movement'), ('units_issue', 'Issue of units'), ('units_retire', 'Retirement of units'), ('order_reserve', 'Order reservation'), ('order_release', 'Order release'), ('trade', 'Trade'), ('raise_sale', 'Raise sale'), ('raise_complete', 'Raise completion'), ('raise_refund', 'Raise refund'), ('loan_disburse', 'Loan disbursement'), ('loan_repay', 'Loan repayment'), ('loan_pledge', 'Loan pledge'), ('loan_release', 'Loan release'), ('loan_liquidate', 'Loan liquidation'), ('loan_write_off', 'Loan write-off')], max_length=30),
        ),
        migrations.AddField(
            model_name='receivablewriteoff',
            name='account',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='write_offs', to='wallets.account'),
        ),
        migrations.AddField(
            model_name='receivablewriteoff',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='receivablewriteoff',
            name='proposed_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='treasurymovement',
            name='bought_currency',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency'),
        ),
        migrations.AddField(
            model_name='treasurymovement',
            name='currency',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency'),
        ),
        migrations.AddField(
            model_name='treasurymovement',
            name='decided_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='treasurymovement',
            name='proposed_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='receivablewriteoff',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('account',), name='write_off_pending_once'),
        ),
        migrations.AddConstraint(
            model_name='receivablewriteoff',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='write_off_amount_positive'),
        ),
        migrations.AddIndex(
            model_name='treasurymovement',
            index=models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='treasury_pending'),
        ),
        migrations.AddConstraint(
            model_name='treasurymovement',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Rejected'), _negated=True), fields=('kind', 'reference'), name='treasury_reference_once'),
        ),
        migrations.AddConstraint(
            model_name='treasurymovement',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('charge__gte', 0), models.Q(models.Q(('kind', 'top_up'), _negated=True), ('charge__lt', models.F('amount')), _connector='OR')), name='treasury_amounts_positive'),
        ),
        migrations.AddConstraint(
            model_name='treasurymovement',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('bought_amount__gt', 0), ('charge', 0), ('closed_amount__gt', 0), ('kind', 'position_close'), models.Q(('bought_currency', models.F('currency')), _negated=True), ('bought_currency__isnull', False)), models.Q(models.Q(('kind', 'position_close'), _negated=True), ('bought_amount__isnull', True), ('bought_currency__isnull', True), ('closed_amount__isnull', True)), _connector='OR'), name='treasury_position_has_two_sides'),
        ),
    ]
