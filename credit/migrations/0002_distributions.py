"""Distributions, the income of their holders, and proposals about them."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import exchange.core.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0001_initial'),
        ('exchange', '0004_next_record'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Distribution',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('type', models.CharField(choices=[('Dividend', 'Dividend'), ('Interest', 'Interest')], max_length=10)),
                ('amount_per_unit', models.DecimalField(decimal_places=12, max_digits=38)),
                ('principal_per_unit', models.DecimalField(blank=True, decimal_places=8, help_text='Of interest', max_digits=38, null=True)),
                ('rate', models.DecimalField(blank=True, decimal_places=4, help_text='Percent a year', max_digits=12, null=True)),
                ('days', models.PositiveIntegerField(blank=True, help_text='Days that bear interest', null=True)),
                ('record_at', models.DateTimeField(help_text='Who holds units then is paid')),
                ('payment_date', models.DateField(help_text='Paid from the start of this day (UTC)')),
                ('status', models.CharField(choices=[('Draft', 'Draft'), ('Announced', 'Announced'), ('Recorded', 'Recorded'), ('Funded', 'Funded'), ('Paying', 'Paying'), ('Paid', 'Paid'), ('Cancelled', 'Cancelled')], default='Draft', max_length=10)),
                ('overdue', models.BooleanField(default=False, help_text='Whether it was not funded on its payment date, and is not yet')),
                ('version', models.PositiveIntegerField(default=1)),
                ('final', models.BooleanField(default=False)),
                ('holders', models.PositiveIntegerField(help_text='Owners at the record', null=True)),
                ('units', models.DecimalField(decimal_places=8, help_text='Units that they held', max_digits=38, null=True)),
                ('gross', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('tax', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('net', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('proposed_by', models.CharField(help_text='The actor who proposed it', max_length=80)),
                ('proposed_by_label', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('corrects', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corrections', to='credit.distribution')),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='distributions', to='exchange.token')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('propose_distribution', 'Can propose distributions, their funding and cancellation'), ('decide_distribution', 'Can approve and reject what is proposed about distributions')],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='DistributionProposal',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('action', models.CharField(choices=[('announce', 'Announce'), ('change', 'Change terms'), ('fund', 'Fund'), ('cancel', 'Cancel')], max_length=10)),
                ('terms', models.JSONField(blank=True, null=True)),
                ('explanation', models.CharField(blank=True, max_length=300)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('proposed_by', models.CharField(help_text='The actor who proposed it', max_length=80)),
                ('proposed_by_label', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('distribution', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='credit.distribution')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='Income',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                ('units', models.DecimalField(decimal_places=8, max_digits=38)),
                ('gross', models.DecimalField(decimal_places=8, max_digits=38)),
                ('tax_rate', models.DecimalField(decimal_places=4, default=0, help_text='Percent', max_digits=7)),
                ('tax', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('net', models.DecimalField(decimal_places=8, max_digits=38)),
                ('status', models.CharField(choices=[('Due', 'Due'), ('Paid', 'Paid'), ('Nil', 'Nil')], default='Due', max_length=10)),
                ('paid_to', models.CharField(blank=True, choices=[('wallet', 'Wallet')], default='', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('distribution', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='incomes', to='credit.distribution')),
                ('member', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member')),
                ('organisation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
            ],
            options={
                'verbose_name_plural': 'income',
                'ordering': ['-id'],
                'default_permissions': ('view',),
            },
        ),
        migrations.AddIndex(
            model_name='distribution',
            index=models.Index(condition=models.Q(('status', 'Announced')), fields=['record_at'], name='distribution_to_record'),
        ),
        migrations.AddIndex(
            model_name='distribution',
            index=models.Index(condition=models.Q(('status__in', ['Recorded', 'Funded', 'Paying'])), fields=['payment_date'], name='distribution_to_pay'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.CheckConstraint(condition=models.Q(('amount_per_unit__gte', 0), models.Q(models.Q(('days', None), ('principal_per_unit', None), ('rate', None), ('type', 'Dividend')), models.Q(('days__gt', 0), ('principal_per_unit__gt', 0), ('rate__gte', 0), ('rate__lte', 100), ('type', 'Interest')), _connector='OR')), name='distribution_terms'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('gross', None), ('holders', None), ('net', None), ('tax', None), ('units', None)), models.Q(('gross', django.db.models.expressions.CombinedExpression(models.F('tax'), '+', models.F('net'))), ('holders__gte', 0), ('net__gte', 0), ('tax__gte', 0), ('units__gte', 0)), _connector='OR'), name='distribution_sums'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Cancelled'), _negated=True), fields=('token', 'type', 'record_at'), name='distribution_once'),
        ),
        migrations.AddIndex(
            model_name='distributionproposal',
            index=models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='distribution_pending'),
        ),
        migrations.AddConstraint(
            model_name='distributionproposal',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('distribution',), name='distribution_proposal_once'),
        ),
        migrations.AddConstraint(
            model_name='distributionproposal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('action', 'change'), ('terms__isnull', False)), models.Q(models.Q(('action', 'change'), _negated=True), ('terms', None)), _connector='OR'), name='distribution_proposal_terms'),
        ),
        migrations.AddIndex(
            model_name='income',
            index=models.Index(fields=['organisation', '-created_at', '-id'], name='income_of'),
        ),
        migrations.AddIndex(
            model_name='income',
            index=models.Index(condition=models.Q(('status', 'Due')), fields=['distribution', 'owner_id'], name='income_due'),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.UniqueConstraint(fields=('distribution', 'owner_id'), name='income_once'),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.CheckConstraint(condition=models.Q(('gross', django.db.models.expressions.CombinedExpression(models.F('tax'), '+', models.F('net'))), ('net__gte', 0), ('tax__gte', 0), ('units__gt', 0)), name='income_amounts'),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('gross', 0), ('paid_to', ''), ('status', 'Nil')), models.Q(('gross__gt', 0), ('paid_to', ''), ('status', 'Due')), models.Q(('gross__gt', 0), ('status', 'Paid'), models.Q(('paid_to', ''), _negated=True)), _connector='OR'), name='income_status'),
        ),
    ]
