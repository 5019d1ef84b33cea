"""Loan configurations, loans, and what servicing finds out: tables, and keys beyond models."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
from django.conf import settings
from django.db import migrations, models

from exchange.core.migration_operations import CreateTables
import exchange.core.ids

_KEYS = """
ALTER TABLE credit_loan
    ADD CONSTRAINT loan_borrower_of_organisation
    FOREIGN KEY (borrower_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
-- The model gives up both keys of this table to have none to organisations, which stay unexamined.
ALTER TABLE credit_configurationversion_organisations
    ADD CONSTRAINT credit_configuration_configurationversion_cef625ca_fk_credit_co
    FOREIGN KEY (configurationversion_id) REFERENCES credit_configurationversion (id)
        DEFERRABLE INITIALLY DEFERRED;
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('exchange', '0001_initial'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='LoanConfiguration',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('creditor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='loan_configurations', to='exchange.organisation')),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Retired', 'Retired')], default='Pending', max_length=10)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [
                        ('propose_configuration', 'Can propose loan configurations'),
                        ('decide_configuration', 'Can approve, reject and retire loan configurations'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ConfigurationVersion',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('approval_reason', models.CharField(blank=True, db_default='', default='', help_text='Why it was approved although it is beyond what is usual', max_length=300)),
                    ('configuration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='credit.loanconfiguration')),
                    ('number', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=200)),
                    ('access', models.CharField(choices=[('own', 'Own'), ('organisations', 'Organisations'), ('public', 'Public')], default='own', max_length=13)),
                    ('investment_categories', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('ETF', 'ETF'), ('Bond', 'Bond'), ('Commercial Paper', 'Commercial Paper'), ('Debt Note', 'Debt Note'), ('Real Estate', 'Real Estate'), ('Private Business', 'Private Business'), ('Startup', 'Startup'), ('Commodities', 'Commodities'), ('Fund', 'Fund'), ('Art', 'Art'), ('Music', 'Music'), ('Movie', 'Movie'), ('Charity', 'Charity')], max_length=20), help_text='Eligible collateral', size=None)),
                    ('collateral_ratio', models.DecimalField(decimal_places=8, help_text="Maximum LTV: share of the collateral's value that may be lent", max_digits=9)),
                    ('interest_rate', models.DecimalField(decimal_places=8, help_text='Per month, 0 to 1', max_digits=9)),
                    ('duration', models.PositiveSmallIntegerField(help_text='Maximum term in months')),
                    ('grace_period', models.PositiveSmallIntegerField(default=0)),
                    ('grace_period_unit', models.CharField(choices=[('DAYS', 'Days')], default='DAYS', max_length=4)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Superseded', 'Superseded')], default='Pending', max_length=10)),
                    ('proposed_by', models.CharField(help_text='The actor who entered it', max_length=80)),
                    ('proposed_by_label', models.CharField(blank=True, max_length=200)),
                    ('note', models.CharField(blank=True, db_default='', default='', help_text='Why staff propose it', max_length=300)),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, max_length=500)),
                    ('created_at', models.DateTimeField()),
                    ('organisations', models.ManyToManyField(blank=True, db_constraint=False, help_text='Who may borrow, where access is `organisations`', related_name='+', to='exchange.organisation')),
                ],
                options={
                    'ordering': ['-number'],
                    'constraints': [
                        models.UniqueConstraint(fields=('configuration', 'number'), name='version_number'),
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('configuration',), name='version_pending_once'),
                        models.UniqueConstraint(condition=models.Q(('status', 'Approved')), fields=('configuration',), name='version_in_force_once'),
                        models.CheckConstraint(condition=models.Q(('collateral_ratio__gt', 0), ('collateral_ratio__lte', 1), ('duration__gte', 1), ('interest_rate__gte', 0), ('interest_rate__lte', 1)), name='version_rates'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='LoanLimit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='limits', to='credit.configurationversion')),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('min_amount', models.DecimalField(decimal_places=8, help_text='Per loan', max_digits=38)),
                    ('max_amount', models.DecimalField(decimal_places=8, help_text='Per loan', max_digits=38)),
                    ('max_outstanding', models.DecimalField(blank=True, decimal_places=8, help_text='Total principal of open loans of the configuration', max_digits=38, null=True)),
                ],
                options={
                    'ordering': ['currency__position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('version', 'currency'), name='limit_once'),
                        models.CheckConstraint(condition=models.Q(('max_amount__gt', 0)), name='limit_positive'),
                        models.CheckConstraint(condition=models.Q(('min_amount__gt', 0), ('min_amount__lte', models.F('max_amount'))), name='limit_minimum'),
                        models.CheckConstraint(condition=models.Q(('max_outstanding__gte', models.F('max_amount'))), name='limit_outstanding'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Loan',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('borrower', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='loans', to='exchange.member')),
                    ('organisation', models.ForeignKey(help_text="The borrower's", on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                    ('creditor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='loans_made', to='exchange.organisation')),
                    ('configuration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='loans', to='credit.loanconfiguration')),
                    ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='credit.configurationversion')),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('amount', models.DecimalField(decimal_places=8, help_text='Principal', max_digits=38)),
                    ('repayment_amount', models.DecimalField(decimal_places=8, help_text='Total repayment: principal and interest', max_digits=38)),
                    ('repayment_date', models.DateTimeField()),
                    ('interest_rate', models.DecimalField(decimal_places=8, max_digits=9)),
                    ('collateral_ratio', models.DecimalField(decimal_places=8, max_digits=9)),
                    ('duration', models.PositiveSmallIntegerField()),
                    ('grace_period', models.PositiveSmallIntegerField()),
                    ('grace_period_unit', models.CharField(max_length=4)),
                    ('status', models.CharField(choices=[('ACTIVE', 'Active'), ('OVERDUE', 'Overdue'), ('DEFAULTED', 'Defaulted'), ('COMPLETED', 'Completed'), ('LIQUIDATED', 'Liquidated'), ('WRITTEN_OFF', 'Written Off')], default='ACTIVE', max_length=11)),
                    ('interest_repaid', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                    ('principal_repaid', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                    ('reason', models.CharField(blank=True, max_length=500)),
                    ('bank_name', models.CharField(blank=True, max_length=200)),
                    ('bank_code', models.CharField(blank=True, max_length=40)),
                    ('account_number', models.CharField(blank=True, max_length=40)),
                    ('requested_by', models.CharField(help_text='The actor', max_length=80)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('collateral_text', models.TextField(default='[]', editable=False)),
                    ('document', models.TextField(default='', editable=False)),
                    ('client_reference', models.CharField(blank=True, help_text="The organisation's own reference", max_length=64, null=True)),
                    ('metadata', models.JSONField(blank=True, help_text="The organisation's own data", null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'indexes': [
                        models.Index(fields=['organisation', '-created_at', '-id'], name='loan_of_borrower'),
                        models.Index(fields=['creditor', '-created_at', '-id'], name='loan_of_creditor'),
                        models.Index(condition=models.Q(('status__in', ['ACTIVE', 'OVERDUE', 'DEFAULTED'])), fields=['repayment_date'], name='loan_open'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('interest_repaid__gte', 0), ('interest_repaid__lte', django.db.models.expressions.CombinedExpression(models.F('repayment_amount'), '-', models.F('amount'))), ('principal_repaid__gte', 0), ('principal_repaid__lte', models.F('amount')), ('repayment_amount__gte', models.F('amount'))), name='loan_amounts'),
                        models.UniqueConstraint(condition=models.Q(('client_reference__isnull', False)), fields=('client_reference', 'organisation'), name='loan_client_reference_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Collateral',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('loan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='collaterals', to='credit.loan')),
                    ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.token')),
                    ('position', models.PositiveSmallIntegerField(help_text='Order of liquidation')),
                    ('quantity', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('pledged_price', models.DecimalField(decimal_places=8, help_text='price.sell at pledge', max_digits=38)),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('loan', 'token'), name='collateral_once'),
                        models.CheckConstraint(condition=models.Q(('quantity__gte', 0)), name='collateral_not_negative'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Repayment',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('loan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='repayments', to='credit.loan')),
                    ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('interest', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('principal', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('outstanding', models.DecimalField(decimal_places=8, help_text='Balance after the payment', max_digits=38)),
                    ('paid_by', models.CharField(max_length=80)),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['created_at', 'id'],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('amount', django.db.models.expressions.CombinedExpression(models.F('interest'), '+', models.F('principal'))), ('amount__gt', 0)), name='repayment_parts'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Outstanding',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('configuration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outstanding', to='credit.loanconfiguration')),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('principal', models.DecimalField(decimal_places=8, max_digits=38)),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('configuration', 'currency'), name='outstanding_once'),
                        models.CheckConstraint(condition=models.Q(('principal__gte', 0)), name='outstanding_not_negative'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Valuation',
                fields=[
                    ('loan', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='valuation', serialize=False, to='credit.loan')),
                    ('value', models.DecimalField(decimal_places=8, help_text='Collateral value at price.sell', max_digits=38, null=True)),
                    ('loan_to_value', models.DecimalField(decimal_places=8, help_text='Outstanding principal / value', max_digits=20, null=True)),
                    ('problem', models.CharField(blank=True, help_text='Why the collateral could not be valued', max_length=300)),
                    ('valued_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='Shortfall',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('loan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shortfalls', to='credit.loan')),
                    ('cause', models.CharField(max_length=300)),
                    ('required', models.DecimalField(decimal_places=8, help_text='Collateral value required for the outstanding principal', max_digits=38)),
                    ('value', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('opened_at', models.DateTimeField()),
                    ('cured_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'ordering': ['-opened_at', '-id'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('cured_at__isnull', True)), fields=('loan',), name='shortfall_open_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ClosureProposal',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('loan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='closure_proposals', to='credit.loan')),
                    ('action', models.CharField(choices=[('liquidate', 'Liquidate'), ('write_off', 'Write off')], max_length=9)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Lapsed', 'Lapsed')], default='Pending', max_length=9)),
                    ('note', models.CharField(max_length=500)),
                    ('plan', models.JSONField(default=list)),
                    ('owed', models.DecimalField(decimal_places=8, help_text='Outstanding at proposal', max_digits=38)),
                    ('value_passed', models.DecimalField(decimal_places=8, default=0, help_text='Value of the units to the creditor', max_digits=38)),
                    ('deficiency', models.DecimalField(decimal_places=8, default=0, help_text='Outstanding amount not covered', max_digits=38)),
                    ('final_plan', models.JSONField(blank=True, help_text='Executed plan, once confirmed', null=True)),
                    ('final_owed', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('final_value', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('final_deficiency', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [('close_loan', 'Can propose and confirm liquidations and write-offs')],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('loan',), name='closure_pending_once'),
                    ],
                },
            ),
        ]),
        migrations.RunSQL([(_KEYS, None)], migrations.RunSQL.noop),
    ]
