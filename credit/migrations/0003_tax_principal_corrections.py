"""Principal, redemptions, exits and corrections; cash collateral; rates of tax."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import exchange.core.ids
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0002_distributions'),
        ('exchange', '0005_income_and_tax'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PriceDeduction',
            fields=[
                ('id', models.UUIDField(help_text='The distribution', primary_key=True, serialize=False)),
                ('record_at', models.DateTimeField()),
                ('amount_per_unit', models.DecimalField(decimal_places=12, max_digits=38)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.token')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='TaxRate',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('type', models.CharField(choices=[('Dividend', 'Dividend'), ('Interest', 'Interest'), ('Redemption', 'Redemption'), ('Exit', 'Exit')], max_length=10)),
                ('issuer_country', models.CharField(help_text='ISO code', max_length=2)),
                ('holder_kind', models.CharField(blank=True, choices=[('person', 'Person'), ('company', 'Company')], default='', help_text='Empty: any', max_length=10)),
                ('residence', models.CharField(blank=True, default='', help_text='ISO code; empty: any', max_length=2)),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField(null=True))),
                ('percent', models.DecimalField(decimal_places=4, max_digits=7)),
                ('valid_from', models.DateField(help_text='From the start of this day (UTC)')),
                ('valid_until', models.DateField(blank=True, help_text='Of one owner: the last day (UTC)', null=True)),
                ('note', models.CharField(help_text='The law or certificate that it follows', max_length=300)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('member', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member')),
                ('organisation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('propose_taxrate', 'Can propose tax rates'), ('decide_taxrate', 'Can approve and reject tax rates of others')],
                'abstract': False,
                'default_permissions': ('view',),
            },
        ),
        migrations.RemoveConstraint(
            model_name='distribution',
            name='distribution_terms',
        ),
        migrations.RemoveConstraint(
            model_name='distribution',
            name='distribution_sums',
        ),
        migrations.RemoveConstraint(
            model_name='distribution',
            name='distribution_once',
        ),
        migrations.RemoveConstraint(
            model_name='distributionproposal',
            name='distribution_proposal_terms',
        ),
        migrations.RemoveConstraint(
            model_name='income',
            name='income_once',
        ),
        migrations.RemoveConstraint(
            model_name='income',
            name='income_amounts',
        ),
        migrations.RemoveConstraint(
            model_name='income',
            name='income_status',
        ),
        migrations.AddField(
            model_name='closureproposal',
            name='cash_passed',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, help_text='Cash collateral to the creditor', max_digits=38),
        ),
        migrations.AddField(
            model_name='closureproposal',
            name='final_cash',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, max_digits=38),
        ),
        migrations.AddField(
            model_name='distribution',
            name='period_end',
            field=models.DateField(blank=True, help_text='Of the schedule: the end of its period; else null', null=True),
        ),
        migrations.AddField(
            model_name='distribution',
            name='to_collateral',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether what pledged units receive becomes cash collateral of their loans'),
        ),
        migrations.AddField(
            model_name='income',
            name='assigned_from',
            field=models.ForeignKey(blank=True, db_constraint=False, db_index=False, help_text='Who held the units, if it was closed and two people decided who is paid instead', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member'),
        ),
        migrations.AddField(
            model_name='income',
            name='loan',
            field=models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='incomes', to='credit.loan'),
        ),
        migrations.AddField(
            model_name='income',
            name='recovered',
            field=models.DecimalField(decimal_places=8, default=0, max_digits=38),
        ),
        migrations.AddField(
            model_name='loan',
            name='cash_collateral',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, help_text='What its pledged units paid', max_digits=38),
        ),
        migrations.AddField(
            model_name='loan',
            name='cash_expected',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, editable=False, max_digits=38),
        ),
        migrations.AddField(
            model_name='loan',
            name='cash_funded',
            field=models.DecimalField(db_default=0, decimal_places=8, default=0, editable=False, max_digits=38),
        ),
        migrations.AddField(
            model_name='repayment',
            name='paid_from',
            field=models.CharField(choices=[('wallet', 'Wallet'), ('cash_collateral', 'Cash Collateral')], db_default='wallet', default='wallet', max_length=15),
        ),
        migrations.AlterField(
            model_name='closureproposal',
            name='value_passed',
            field=models.DecimalField(decimal_places=8, default=0, help_text='Cash and value of units to the creditor', max_digits=38),
        ),
        migrations.AlterField(
            model_name='distribution',
            name='final',
            field=models.BooleanField(default=False, help_text='Whether it takes the units back: a redemption, or the last exit'),
        ),
        migrations.AlterField(
            model_name='distribution',
            name='type',
            field=models.CharField(choices=[('Dividend', 'Dividend'), ('Interest', 'Interest'), ('Principal', 'Principal'), ('Redemption', 'Redemption'), ('Exit', 'Exit')], max_length=10),
        ),
        migrations.AlterField(
            model_name='distributionproposal',
            name='action',
            field=models.CharField(choices=[('announce', 'Announce'), ('change', 'Change terms'), ('fund', 'Fund'), ('cancel', 'Cancel'), ('assign', 'Assign income')], max_length=10),
        ),
        migrations.AlterField(
            model_name='income',
            name='paid_to',
            field=models.CharField(blank=True, choices=[('wallet', 'Wallet'), ('loan', 'Loan')], default='', max_length=10),
        ),
        migrations.AlterField(
            model_name='income',
            name='status',
            field=models.CharField(choices=[('Due', 'Due'), ('Paid', 'Paid'), ('Nil', 'Nil'), ('Corrected', 'Corrected')], default='Due', max_length=10),
        ),
        migrations.AddIndex(
            model_name='income',
            index=models.Index(fields=['owner_id'], name='income_of_owner'),
        ),
        migrations.AddIndex(
            model_name='income',
            index=models.Index(condition=models.Q(('loan__isnull', False), ('status', 'Due')), fields=['loan'], name='income_due_to_loan'),
        ),
        migrations.AddIndex(
            model_name='income',
            index=models.Index(condition=models.Q(('gross__lt', 0), ('status', 'Due')), fields=['owner_id'], name='income_to_recover'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.CheckConstraint(condition=models.Q(('amount_per_unit__gte', 0), models.Q(models.Q(models.Q(('type', 'Interest'), _negated=True), ('days', None), ('principal_per_unit', None), ('rate', None)), models.Q(('days__gt', 0), ('principal_per_unit__gt', 0), ('rate__gte', 0), ('rate__lte', 100), ('type', 'Interest')), _connector='OR')), name='distribution_terms'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('final', True), ('type', 'Redemption')), models.Q(('corrects', None), ('type', 'Exit')), models.Q(models.Q(('type__in', ['Redemption', 'Exit']), _negated=True), ('final', False)), models.Q(('corrects__isnull', False), ('final', False)), _connector='OR'), name='distribution_final'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('gross', None), ('holders', None), ('net', None), ('tax', None), ('units', None)), models.Q(('gross', django.db.models.expressions.CombinedExpression(models.F('tax'), '+', models.F('net'))), ('holders__gte', 0), ('units__gte', 0), models.Q(models.Q(('net__gte', 0), ('tax__gte', 0)), models.Q(('corrects__isnull', False), ('net__lte', 0), ('tax__lte', 0)), _connector='OR')), _connector='OR'), name='distribution_sums'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.CheckConstraint(condition=models.Q(('corrects', None), models.Q(models.Q(('type', 'Principal'), _negated=True), ('period_end', None)), _connector='OR'), name='distribution_corrects'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.UniqueConstraint(condition=models.Q(models.Q(('status', 'Cancelled'), _negated=True), ('corrects', None)), fields=('token', 'type', 'record_at'), name='distribution_once'),
        ),
        migrations.AddConstraint(
            model_name='distribution',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Cancelled'), _negated=True), fields=('token', 'period_end'), name='distribution_of_period'),
        ),
        migrations.AddConstraint(
            model_name='distributionproposal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('action__in', ['change', 'assign']), ('terms__isnull', False)), models.Q(models.Q(('action__in', ['change', 'assign']), _negated=True), ('terms', None)), _connector='OR'), name='distribution_proposal_terms'),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.UniqueConstraint(fields=('distribution', 'owner_id', 'assigned_from', 'loan'), name='income_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.CheckConstraint(condition=models.Q(('gross', django.db.models.expressions.CombinedExpression(models.F('tax'), '+', models.F('net'))), ('units__gt', 0), models.Q(models.Q(('net__gte', 0), ('recovered', 0), ('tax__gte', 0)), models.Q(('net__lte', 0), ('recovered__gte', 0), ('recovered__lte', django.db.models.expressions.CombinedExpression(models.F('net'), '*', models.Value(-1))), ('tax__lte', 0)), _connector='OR')), name='income_amounts'),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('gross', 0), ('paid_to', ''), ('status', 'Nil')), models.Q(('paid_to', ''), ('status', 'Due')), models.Q(('status', 'Paid'), models.Q(('paid_to', ''), _negated=True)), ('status', 'Corrected'), _connector='OR'), name='income_status'),
        ),
        migrations.AddConstraint(
            model_name='income',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('paid_to', 'loan'), _negated=True), ('loan__isnull', False), _connector='OR'), name='income_to_loan'),
        ),
        AddConstraintNotValid(
            model_name='loan',
            constraint=models.CheckConstraint(condition=models.Q(('cash_collateral', 0), models.Q(('cash_collateral__gt', 0), ('closed_at', None)), _connector='OR'), name='loan_cash_collateral'),
        ),
        migrations.AddIndex(
            model_name='taxrate',
            index=models.Index(condition=models.Q(('status', 'Approved')), fields=['type', 'issuer_country', 'owner_id'], name='tax_rate_effective'),
        ),
        migrations.AddConstraint(
            model_name='taxrate',
            constraint=models.CheckConstraint(condition=models.Q(('percent__gte', 0), ('percent__lte', 100)), name='tax_rate_percent'),
        ),
        migrations.AddConstraint(
            model_name='taxrate',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('member', None), ('organisation', None), ('valid_until', None)), models.Q(('holder_kind', ''), ('organisation__isnull', False), ('residence', ''), ('valid_until__gte', models.F('valid_from'))), _connector='OR'), name='tax_rate_of_one_owner_ends'),
        ),
        migrations.AddConstraint(
            model_name='taxrate',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('type', 'issuer_country', 'holder_kind', 'residence', 'owner_id'), name='tax_rate_pending_once', nulls_distinct=False),
        ),
    ]
