"""Daily reports beside the provider's."""

import django.db.models.deletion
import exchange.ids
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0013_exports'),
        ('wallets', '0009_proof_totals'),
    ]

    operations = [
        migrations.CreateModel(
            name='Reconciliation',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('day', models.DateField()),
                ('status', models.CharField(choices=[('Waiting', 'Waiting'), ('Running', 'Running'), ('Agrees', 'Agrees'), ('Differs', 'Differs'), ('Incomplete', 'Incomplete')], default='Waiting', max_length=10)),
                ('reason', models.CharField(blank=True, help_text='Why it is incomplete', max_length=500)),
                ('differences', models.PositiveIntegerField(default=0)),
                ('compared', models.PositiveIntegerField(default=0, help_text='Payouts held beside transfers')),
                ('asked_by', models.CharField(help_text='The actor', max_length=80)),
                ('asked_by_label', models.CharField(max_length=200)),
                ('claimed_by', models.CharField(blank=True, max_length=80)),
                ('leased_until', models.DateTimeField(null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('run_reconciliation', 'Can run the comparison with the provider')],
                'indexes': [models.Index(fields=['day', '-created_at'], name='reconciliation_of_day')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status__in', ['Waiting', 'Running'])), fields=('day',), name='reconciliation_one_under_way'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'Agrees'), _negated=True), models.Q(('differences', 0), ('reason', '')), _connector='OR'), name='reconciliation_agrees_without_differences')],
            },
        ),
        migrations.CreateModel(
            name='ReconciliationLine',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField()),
                ('off', models.BooleanField()),
                ('kind', models.CharField(choices=[('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Clearing at the start of the day', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Charges of the provider', 'Charged'), ('Reversals', 'Reversals'), ('Other movements', 'Other'), ('Clearing at the end of the day', 'Closing'), ('Balance now', 'Balance'), ('Expected gap', 'Expected'), ('Gap nobody explains', 'Gap'), ('Missing at the provider', 'Missing'), ('Unknown to us', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Charge', 'Fee'), ('Balance', 'Float')], max_length=40)),
                ('our_count', models.PositiveIntegerField(null=True)),
                ('our_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('their_count', models.PositiveIntegerField(null=True)),
                ('their_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('our_text', models.CharField(blank=True, max_length=200)),
                ('their_text', models.CharField(blank=True, max_length=200)),
                ('reference', models.CharField(blank=True, max_length=120)),
                ('provider_id', models.CharField(blank=True, max_length=40)),
                ('currency', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='wallets.reconciliation')),
                ('withdrawal', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('report', 'position'), name='reconciliation_line_once')],
            },
        ),
        *sqlfiles.install("wallets", "reconciliation"),
    ]
