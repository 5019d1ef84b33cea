"""The ledger, withdrawals and payouts, deposits, reconciliation, and the figures finance sets.

Tables as they are, and what is beyond models: keys, storage, sequences, the rows that are there from
the beginning. It stands for the migrations of databases that were made before it.
"""

from decimal import Decimal

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone

import exchange.core.ids
from exchange.core.ids import uuid7

# What a bank record is searched by: the words of the payee's names, the account number, and the number
# backwards behind an `r`, so that its last digits are the beginning of a word as well. Query it by
# `name_words`. Names of functions are bound when this one is made: no search path.
BANK_WORDS = """
CREATE FUNCTION bank_words(p_account_name text, p_given_name text, p_number text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('pg_catalog.simple'::regconfig, regexp_replace(
    p_account_name || ' ' || p_given_name || ' ' || p_number || ' r' || reverse(p_number),
    '[^[:alnum:]]+', ' ', 'g'))
"""


# Minimum, fee, units per USD, amount from which two people must approve, internal fee (0: none).
FIGURES = {
    "NGN": (1000, 50, 1500, 5000000, 0),
    "KES": (100, 30, 129, 500000, 0),
    "GHS": (20, 5, 12, 50000, 0),
    "ZAR": (50, 10, 18, 75000, 0),
    "UGX": (5000, 1500, 3700, 15000000, 0),
    "TZS": (2500, 1000, 2500, 10000000, 0),
}
KEYS = (
    ("MINIMUM_WITHDRAWAL_{}", "Smallest withdrawal, in {}"),
    ("{}_WITHDRAWAL_FEE", "Flat fee of a withdrawal, in {}"),
    ("{}_USD_RATE", "{} for one USD, for the USD value shown on withdrawals"),
    ("SECOND_APPROVAL_ABOVE_{}", "From this amount in {} two different people must approve"),
    ("{}_INTERNAL_FEE", "Internal fee shown on an organisation's withdrawal, in {}"),
)
# So many times the amount from which two people must approve.
DAILY_KEYS = (
    (
        "SECOND_APPROVAL_DAILY_ABOVE_{}",
        20,
        "From this amount asked for by an organisation and its members in 24 hours, in {},"
        " two different people must approve",
    ),
    ("SOLE_APPROVALS_DAILY_{}", 10, "What one person may approve alone within 24 hours, in {}"),
)

COMPOSITE_KEYS = """
ALTER TABLE wallets_account
    ADD CONSTRAINT account_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
ALTER TABLE wallets_withdrawal
    -- The escrow account is of the same owner, organisation and currency. The account itself is
    -- held to its member, organisation and asset, so this stands for the plain keys of all three.
    ADD CONSTRAINT withdrawal_escrow_of_owner
    FOREIGN KEY (escrow_account_id, owner_id, organisation_id, currency_id)
        REFERENCES wallets_account (id, owner_id, organisation_id, asset_id),
    ADD CONSTRAINT withdrawal_bank_of_organisation
    FOREIGN KEY (bank_id, organisation_id) REFERENCES wallets_bankaccount (id, organisation_id);
ALTER TABLE wallets_deposit
    ADD CONSTRAINT deposit_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
"""
# Balances change all the time; room on the page keeps those updates out of the indexes.
STORAGE = "ALTER TABLE wallets_account SET (fillfactor = 60)"

# What may be posted (`sql/transfer_rules.sql` of each app fills it).
TRANSFER_RULES = """
CREATE TABLE wallets_transferrule (
    kind text PRIMARY KEY,
    -- Kinds of accounts.
    leaves text[] NOT NULL,
    enters text[] NOT NULL,
    -- What the reference is, as a LIKE pattern; `{id}` is the record's id. Where there is no `%` in
    -- it, one record has one transfer of this kind.
    reference text NOT NULL,
    -- The record that stands behind it, and its states (none: any state).
    record text NOT NULL,
    states text[] NOT NULL,
    -- Whether the service's own login posts it. Other kinds are posted by functions alone, which
    -- write the record in the same call.
    by_service boolean NOT NULL
)
"""

# Since when entries get their ids under the locks of their accounts. In databases that posted before
# that it returns the instant at which it began; in a new one all entries have.
IDS_ORDERED_SINCE = """
CREATE FUNCTION public.ids_ordered_since() RETURNS timestamptz LANGUAGE sql IMMUTABLE
RETURN '2020-01-01 00:00:00+00'::timestamptz
"""


def seed(apps, schema_editor):
    alias = schema_editor.connection.alias
    models = ("Asset", "Account", "Configuration", "PayoutCircuit")
    asset, account, configuration, circuit = (
        apps.get_model("wallets", name).objects.using(alias) for name in models
    )
    for row in apps.get_model("exchange", "Currency").objects.using(alias).order_by("position"):
        asset.create(id=row.code, currency=row, decimals=row.decimals)
        for kind in ("clearing", "fees", "expenses"):
            account.create(id=uuid7(), asset_id=row.code, kind=kind, balance=None)
        if row.code not in FIGURES:
            continue
        figures = FIGURES[row.code]
        second_approval = figures[3]
        values = [
            *((key, text, value) for (key, text), value in zip(KEYS, figures, strict=True)),
            *((key, text, times * second_approval) for key, times, text in DAILY_KEYS),
        ]
        for key, text, value in values:
            configuration.create(
                key=key.format(row.code), value=Decimal(value), description=text.format(row.code)
            )
    circuit.create(updated_at=timezone.now())


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('wallets', '0001_initial'),
        ('wallets', '0002_functions'),
        ('wallets', '0003_seed'),
        ('wallets', '0004_combined_requests'),
        ('wallets', '0005_token_units'),
        ('wallets', '0006_loans'),
        ('wallets', '0007_audit'),
        ('wallets', '0008_configuration_figures'),
        ('wallets', '0009_proof_totals'),
        ('wallets', '0010_reconciliation'),
        ('wallets', '0011_failed_withdrawals'),
        ('wallets', '0012_ended_withdrawals'),
        ('wallets', '0013_bank_words'),
        ('wallets', '0014_cheaper_checks'),
        ('wallets', '0015_deposits_entered_again'),
        ('wallets', '0016_keys_of_sets'),
        ('wallets', '0017_cheaper_guard'),
        ('wallets', '0018_one_posting_function'),
        ('wallets', '0019_what_may_be_posted'),
        ('wallets', '0020_two_person_approval'),
        ('wallets', '0021_payout_circuit'),
        ('wallets', '0022_return_approved'),
        ('wallets', '0023_approvals_of_a_day'),
        ('wallets', '0024_deposits_cancelled'),
        ('wallets', '0025_events_name_no_login'),
        ('wallets', '0026_flags_of_decisions'),
        ('wallets', '0027_reconciliation_breaks'),
    ]

    dependencies = [
        ('exchange', '0001_squashed'),
    ]

    operations = [
        # A generated column needs it.
        migrations.RunSQL([(BANK_WORDS, None)], "DROP FUNCTION bank_words(text, text, text)"),
        migrations.CreateModel(
            name='BankList',
            fields=[
                ('banks', models.JSONField(default=list, help_text="[{id, name, code}], the provider's own")),
                ('fetched_at', models.DateTimeField()),
                ('currency', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='exchange.currency')),
            ],
        ),
        migrations.CreateModel(
            name='BankAccount',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(help_text="Bank name, the provider's spelling", max_length=200)),
                ('code', models.CharField(max_length=20)),
                ('provider_bank_id', models.BigIntegerField(null=True)),
                ('account_number', models.CharField(max_length=40)),
                ('account_name', models.CharField(max_length=200)),
                ('given_name', models.CharField(help_text='Account name as the caller gave it', max_length=200)),
                ('name_resolved', models.BooleanField(default=False)),
                ('branch_code', models.CharField(blank=True, max_length=40)),
                ('recipient_first_name', models.CharField(blank=True, max_length=100)),
                ('recipient_last_name', models.CharField(blank=True, max_length=100)),
                ('recipient_email', models.EmailField(blank=True, max_length=254)),
                ('recipient_phone', models.CharField(blank=True, max_length=30)),
                ('recipient_address', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField()),
                ('document', models.TextField(default='', editable=False)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('words', models.GeneratedField(db_persist=True, expression=models.Func('account_name', 'given_name', 'account_number', function='bank_words'), output_field=django.contrib.postgres.search.SearchVectorField())),
            ],
            options={
                'verbose_name': 'bank record',
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(fields=['account_number', 'code'], name='bank_account_used'), django.contrib.postgres.indexes.GinIndex(fields=['words'], name='bank_words')],
                'constraints': [models.UniqueConstraint(fields=('id', 'organisation'), name='bank_organisation')],
            },
        ),
        migrations.CreateModel(
            name='BooksProof',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('ran_at', models.DateTimeField()),
                ('passed', models.BooleanField()),
                ('findings', models.JSONField(default=list)),
                ('milliseconds', models.PositiveIntegerField()),
                ('totals', models.JSONField(default=dict, help_text="Sum of each system account's entries before `totals_before`, by account")),
                ('totals_before', models.UUIDField(help_text='Entries with smaller ids are in `totals`', null=True)),
            ],
            options={
                'verbose_name': 'proof of books',
                'verbose_name_plural': 'proofs of books',
                'ordering': ['-ran_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Alert',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=40)),
                ('subject', models.CharField(blank=True, max_length=80)),
                ('message', models.CharField(max_length=500)),
                ('raised_at', models.DateTimeField()),
                ('times', models.PositiveIntegerField(default=1)),
                ('resolved_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-raised_at', '-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('resolved_at__isnull', True)), fields=('kind', 'subject'), name='alert_open_once')],
            },
        ),
        migrations.CreateModel(
            name='Asset',
            fields=[
                ('id', models.CharField(max_length=36, primary_key=True, serialize=False)),
                ('decimals', models.PositiveSmallIntegerField()),
                ('currency', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='asset', to='exchange.currency')),
                ('token', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='units', to='exchange.token')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('currency__isnull', False), ('token__isnull', True)), models.Q(('currency__isnull', True), ('token__isnull', False)), _connector='OR'), name='asset_currency_or_token')],
            },
        ),
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('available', 'Available'), ('escrow', 'Escrow'), ('lien', 'Lien'), ('reserved', 'Reserved'), ('unsold', 'Unsold'), ('raise', 'Raise'), ('clearing', 'Clearing'), ('fees', 'Fees'), ('expenses', 'Expenses'), ('issuance', 'Issuance'), ('principal', 'Principal'), ('interest', 'Interest'), ('loans', 'Loans')], max_length=10)),
                ('balance', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('asset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='wallets.asset')),
                ('organisation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='exchange.organisation')),
                ('member', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='exchange.member')),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField(null=True))),
            ],
            options={
                'ordering': ['asset', 'kind', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('balance__gte', 0), ('balance__isnull', False)), models.Q(('balance__isnull', True), ('organisation__isnull', True)), _connector='OR'), name='account_balance_not_negative'), models.UniqueConstraint(fields=('id', 'owner_id', 'organisation', 'asset'), name='account_owner'), models.UniqueConstraint(fields=('owner_id', 'asset', 'kind'), name='account_once_per_owner', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='Transfer',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('deposit', 'Deposit'), ('withdrawal_hold', 'Withdrawal Hold'), ('withdrawal_settle', 'Withdrawal Settle'), ('withdrawal_release', 'Withdrawal Release'), ('withdrawal_reverse', 'Withdrawal Reverse'), ('provider_charge', 'Provider Charge'), ('units_issue', 'Units Issue'), ('units_retire', 'Units Retire'), ('order_reserve', 'Order Reserve'), ('order_release', 'Order Release'), ('trade', 'Trade'), ('raise_sale', 'Raise Sale'), ('raise_complete', 'Raise Complete'), ('raise_refund', 'Raise Refund'), ('loan_disburse', 'Loan Disburse'), ('loan_repay', 'Loan Repay'), ('loan_pledge', 'Loan Pledge'), ('loan_release', 'Loan Release'), ('loan_liquidate', 'Loan Liquidate'), ('loan_write_off', 'Loan Write Off')], max_length=30)),
                ('reference', models.CharField(help_text='Says what this transfer does once: `withdrawal:<id>:close` settles or releases', max_length=120)),
                ('subject_id', models.UUIDField(help_text='Id of the record it is about', null=True)),
                ('actor', models.CharField(max_length=80)),
                ('memo', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField()),
                ('created_txid', models.BigIntegerField()),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(fields=['subject_id'], name='transfer_subject')],
                'constraints': [models.UniqueConstraint(fields=('reference',), name='transfer_reference_once'), models.UniqueConstraint(condition=models.Q(('kind__in', ['withdrawal_settle', 'withdrawal_release'])), fields=('subject_id',), name='transfer_closes_once'), models.UniqueConstraint(condition=models.Q(('kind', 'provider_charge')), fields=('subject_id',), name='transfer_charges_once'), models.UniqueConstraint(condition=models.Q(('kind', 'withdrawal_reverse')), fields=('subject_id',), name='transfer_reverses_once')],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('balance_after', models.DecimalField(decimal_places=8, help_text="Of the owner's account; system accounts keep none", max_digits=38, null=True)),
                ('transfer', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='wallets.transfer')),
                ('account', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='wallets.account')),
                ('asset', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.asset')),
            ],
            options={
                'verbose_name_plural': 'entries',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['account', '-id'], name='entry_statement')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='entry_amount_not_zero')],
            },
        ),
        migrations.CreateModel(
            name='Withdrawal',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('reference', models.CharField(max_length=40)),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('fee', models.DecimalField(decimal_places=8, max_digits=38)),
                ('disburse_amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('gusd_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('internal_fee', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                ('internal_fee_type', models.CharField(default='NONE', max_length=10)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Cancelled', 'Cancelled'), ('Processing', 'Processing'), ('Unknown', 'Unknown'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Reversed', 'Reversed')], default='Pending', max_length=10)),
                ('version', models.PositiveIntegerField(default=1)),
                ('requested_by', models.CharField(help_text='The API key that asked', max_length=80)),
                ('approvals_needed', models.PositiveSmallIntegerField(default=1)),
                ('actioned_on', models.DateTimeField(blank=True, null=True)),
                ('actioned_by', models.CharField(blank=True, max_length=200)),
                ('reason', models.CharField(blank=True, help_text='Why it was rejected, cancelled, or failed', max_length=500)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('document', models.TextField(default='', editable=False)),
                ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='withdrawals', to='exchange.organisation')),
                ('member', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='withdrawals', to='exchange.member')),
                ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('escrow_account', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.account')),
                ('bank', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='withdrawal', to='wallets.bankaccount')),
                ('first_approver', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('second_approver', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('decide_withdrawal', 'Can approve and reject withdrawals'), ('resolve_payout', 'Can decide about lost and returned payouts')],
                'indexes': [models.Index(fields=['organisation', '-created_at', '-id'], name='withdrawal_listed'), models.Index(fields=['owner_id', '-created_at'], name='withdrawal_of_owner'), models.Index(condition=models.Q(('status__in', ['Pending', 'Approved', 'Processing', 'Unknown'])), fields=['status', 'created_at'], name='withdrawal_open'), models.Index(condition=models.Q(('status', 'Failed')), fields=['updated_at'], name='withdrawal_failed'), models.Index(condition=models.Q(('status__in', ['Completed', 'Failed', 'Reversed'])), fields=['updated_at', 'status', 'currency', 'disburse_amount'], name='withdrawal_ended'), models.Index(condition=models.Q(('first_approver__isnull', False)), fields=['first_approver', 'actioned_on'], name='withdrawal_approved_by')],
                'constraints': [models.UniqueConstraint(fields=('reference',), name='withdrawal_reference_once'), models.CheckConstraint(condition=models.Q(('amount', django.db.models.expressions.CombinedExpression(models.F('fee'), '+', models.F('disburse_amount'))), ('disburse_amount__gt', 0), ('fee__gte', 0)), name='withdrawal_amounts_add_up')],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('verdict', models.CharField(choices=[('Approve', 'Approve'), ('Reject', 'Reject'), ('Cancel', 'Cancel'), ('Fill in', 'Corridor'), ('Propose', 'Propose'), ('Confirm', 'Confirm'), ('Decline', 'Decline')], max_length=10)),
                ('actor', models.CharField(max_length=80)),
                ('actor_label', models.CharField(max_length=200)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('details', models.JSONField(blank=True, default=dict)),
                ('flags', models.JSONField(blank=True, null=True)),
                ('override', models.CharField(blank=True, db_default='', help_text='Why it was approved although flagged; internal', max_length=500)),
                ('version', models.PositiveIntegerField(help_text='Version of the withdrawal that was decided on')),
                ('created_at', models.DateTimeField()),
                ('withdrawal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='wallets.withdrawal')),
            ],
            options={
                'ordering': ['created_at', 'id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('verdict__in', ['Approve', 'Reject', 'Cancel'])), fields=('withdrawal', 'version'), name='decision_once_per_version'), models.CheckConstraint(condition=models.Q(models.Q(('flags__contains', [{'level': 'Stop'}]), ('verdict', 'Approve'), _negated=True), ('override__regex', '\\S'), _connector='OR'), name='decision_stop_overridden_in_writing')],
            },
        ),
        migrations.CreateModel(
            name='PayoutCircuit',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('Closed', 'Closed'), ('Open', 'Open'), ('Half-open', 'Half Open')], default='Closed', max_length=9)),
                ('failures', models.PositiveIntegerField(default=0, help_text='In a row, while Closed')),
                ('failed_trials', models.PositiveIntegerField(default=0, help_text='Since it opened')),
                ('reason', models.CharField(blank=True, help_text='The last failure', max_length=300)),
                ('opened_at', models.DateTimeField(null=True)),
                ('next_probe_at', models.DateTimeField(null=True)),
                ('trial_until', models.DateTimeField(null=True)),
                ('quiet_until', models.DateTimeField(help_text='The provider asked to be left alone until then (Retry-After)', null=True)),
                ('updated_at', models.DateTimeField()),
                ('trial', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='payout_circuit_only_row'), models.CheckConstraint(condition=models.Q(models.Q(('trial', None), ('trial_until', None)), models.Q(('state', 'Half-open'), ('trial__isnull', False), ('trial_until__isnull', False)), _connector='OR'), name='payout_circuit_trial_half_open'), models.CheckConstraint(condition=models.Q(('state', 'Closed'), models.Q(('next_probe_at__isnull', False), ('opened_at__isnull', False)), _connector='OR'), name='payout_circuit_probes')],
            },
        ),
        migrations.CreateModel(
            name='Configuration',
            fields=[
                ('key', models.CharField(max_length=60, primary_key=True, serialize=False)),
                ('value', models.DecimalField(decimal_places=8, max_digits=30)),
                ('description', models.CharField(blank=True, max_length=200)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name': 'configuration key',
                'ordering': ['key'],
                'permissions': [('propose_configuration', 'Can propose figures'), ('decide_configuration', 'Can approve and reject figures of others')],
                'constraints': [models.CheckConstraint(condition=models.Q(('value__gte', 0)), name='configuration_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='ConfigurationFigure',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('value', models.DecimalField(decimal_places=8, max_digits=30)),
                ('reason', models.CharField(max_length=300)),
                ('effective_from', models.DateTimeField(help_text='As proposed; null: when approved', null=True)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Taken back', 'Taken Back'), ('Withdrawn', 'Withdrawn')], default='Pending', max_length=10)),
                ('decision_note', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('in_force_from', models.DateTimeField(help_text='Of an approved one: as proposed, but never before its approval', null=True)),
                ('withdrawal_reason', models.CharField(blank=True, max_length=300)),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('configuration', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='figures', to='wallets.configuration')),
                ('withdrawal_asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawn_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'figure',
                'ordering': ['-created_at', '-id'],
                'abstract': False,
                'default_permissions': ('view',),
                'indexes': [models.Index(models.F('configuration'), models.OrderBy(models.F('in_force_from'), descending=True), models.OrderBy(models.F('decided_at'), descending=True), condition=models.Q(('status', 'Approved')), include=('value',), name='figure_in_force'), models.Index(models.F('configuration'), models.OrderBy(models.F('created_at'), descending=True), name='figure_history')],
                'constraints': [models.CheckConstraint(condition=models.Q(('value__gte', 0)), name='figure_not_negative'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'Withdrawn'), _negated=True), models.Q(('withdrawal_asked_by__isnull', False), ('withdrawn_by__isnull', False), models.Q(('withdrawn_by', models.F('withdrawal_asked_by')), _negated=True)), _connector='OR'), name='figure_withdrawn_by_two'), models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('configuration',), name='figure_pending_once')],
            },
        ),
        migrations.CreateModel(
            name='Deposit',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('reference', models.CharField(help_text="The bank's reference of the incoming payment", max_length=100)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Confirmed', 'Confirmed'), ('Rejected', 'Rejected'), ('Cancelled', 'Cancelled')], default='Pending', max_length=10)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deposits', to='exchange.organisation')),
                ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='deposits', to='exchange.member')),
                ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('entered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('decide_deposit', 'Can confirm and reject deposits')],
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='deposit_pending')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='deposit_amount_positive'), models.UniqueConstraint(condition=models.Q(('status__in', ['Rejected', 'Cancelled']), _negated=True), fields=('reference',), name='deposit_reference_once'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'Cancelled'), _negated=True), models.Q(('decided_by', models.F('entered_by')), ('decided_by__isnull', False)), _connector='OR'), name='deposit_cancelled_by_who_entered_it')],
            },
        ),
        migrations.CreateModel(
            name='Payout',
            fields=[
                ('claimed_by', models.CharField(blank=True, max_length=80)),
                ('leased_until', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('posted_at', models.DateTimeField(blank=True, null=True)),
                ('provider_id', models.CharField(blank=True, max_length=40)),
                ('provider_status', models.CharField(blank=True, max_length=20)),
                ('provider_fee', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                ('provider_message', models.CharField(blank=True, max_length=500)),
                ('last_error', models.CharField(blank=True, max_length=300)),
                ('next_step_at', models.DateTimeField(blank=True, null=True)),
                ('look_ups', models.PositiveIntegerField(default=0)),
                ('not_found_count', models.PositiveIntegerField(default=0)),
                ('first_not_found_at', models.DateTimeField(blank=True, null=True)),
                ('last_not_found_at', models.DateTimeField(blank=True, null=True)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('watch_until', models.DateTimeField(blank=True, help_text='Completed payouts are looked up again until then', null=True)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('withdrawal', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='payout', serialize=False, to='wallets.withdrawal')),
            ],
            options={
                'ordering': ['-created_at'],
                'indexes': [models.Index(condition=models.Q(('next_step_at__isnull', False)), fields=['next_step_at'], name='payout_step_due'), models.Index(condition=models.Q(('provider_status', 'FAILED'), ('settled_at__isnull', False)), fields=['withdrawal'], name='payout_returned')],
            },
        ),
        migrations.CreateModel(
            name='Proposal',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('action', models.CharField(choices=[('Send again', 'Send Again'), ('Fail', 'Fail'), ('Reverse', 'Reverse'), ('Return', 'Return')], max_length=12)),
                ('reason', models.CharField(max_length=500)),
                ('status', models.CharField(choices=[('Open', 'Open'), ('Confirmed', 'Confirmed'), ('Declined', 'Declined')], default='Open', max_length=10)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='wallets.withdrawal')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'Open')), fields=('withdrawal',), name='proposal_one_open_per_withdrawal'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', True), ('status', 'Open')), models.Q(models.Q(('status', 'Open'), _negated=True), ('decided_by__isnull', False)), _connector='OR'), name='proposal_decided_by_somebody')],
            },
        ),
        migrations.CreateModel(
            name='ProviderEvent',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('digest', models.CharField(help_text='SHA-256 of the body, hex', max_length=64, unique=True)),
                ('reference', models.CharField(blank=True, max_length=100)),
                ('provider_id', models.CharField(blank=True, max_length=40)),
                ('body', models.TextField(help_text='At most the first 8 KiB')),
                ('received_at', models.DateTimeField()),
                ('seen', models.PositiveIntegerField(default=1)),
            ],
            options={
                'ordering': ['-received_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Reconciliation',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
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
                ('balances_at', models.DateTimeField(help_text='When the balances were read', null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('provisional', models.GeneratedField(db_persist=True, expression=django.db.models.lookups.GreaterThanOrEqual(models.F('day'), models.Func(models.F('created_at'), output_field=models.DateField(), template="(%(expressions)s AT TIME ZONE 'UTC')::date")), output_field=models.BooleanField())),
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
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField()),
                ('off', models.BooleanField()),
                ('kind', models.CharField(choices=[('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Clearing at the start of the day', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Charges of the provider', 'Charged'), ('Reversals', 'Reversals'), ('Other movements', 'Other'), ('Clearing at the end of the day', 'Closing'), ('Balance now', 'Balance'), ('Expected gap', 'Expected'), ('Gap nobody explains', 'Gap'), ('Missing at the provider', 'Missing'), ('Unknown to us', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Charge', 'Fee'), ('Balance', 'Float'), ('No balance named', 'No Balance')], max_length=40)),
                ('our_count', models.PositiveIntegerField(null=True)),
                ('our_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('their_count', models.PositiveIntegerField(null=True)),
                ('their_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('our_text', models.CharField(blank=True, max_length=200)),
                ('their_text', models.CharField(blank=True, max_length=200)),
                ('reference', models.CharField(blank=True, max_length=120)),
                ('provider_id', models.CharField(blank=True, max_length=40)),
                ('report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='wallets.reconciliation')),
                ('currency', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('withdrawal', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('report', 'position'), name='reconciliation_line_once')],
            },
        ),
        migrations.CreateModel(
            name='ReconciliationBreak',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('day', models.DateField()),
                ('kind', models.CharField(choices=[('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Clearing at the start of the day', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Charges of the provider', 'Charged'), ('Reversals', 'Reversals'), ('Other movements', 'Other'), ('Clearing at the end of the day', 'Closing'), ('Balance now', 'Balance'), ('Expected gap', 'Expected'), ('Gap nobody explains', 'Gap'), ('Missing at the provider', 'Missing'), ('Unknown to us', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Charge', 'Fee'), ('Balance', 'Float'), ('No balance named', 'No Balance')], max_length=40)),
                ('our_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('their_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                ('difference', models.DecimalField(decimal_places=8, help_text='Theirs less ours', max_digits=38, null=True)),
                ('our_text', models.CharField(blank=True, max_length=200)),
                ('their_text', models.CharField(blank=True, max_length=200)),
                ('reference', models.CharField(blank=True, max_length=120)),
                ('provider_id', models.CharField(blank=True, max_length=40)),
                ('status', models.CharField(choices=[('Open', 'Open'), ('Explained', 'Explained'), ('Closed', 'Closed')], default='Open', max_length=9)),
                ('shown', models.BooleanField(default=True, help_text='Whether the latest report shows it')),
                ('created_at', models.DateTimeField()),
                ('currency', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('withdrawal', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
                ('owner', models.ForeignKey(help_text='Who looks into it', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('first_report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.reconciliation')),
                ('latest_report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.reconciliation')),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('decide_break', 'Can explain and close differences with the provider')],
                'indexes': [models.Index(fields=['day'], name='break_of_day'), models.Index(condition=models.Q(('status', 'Closed'), _negated=True), fields=['day'], name='break_open_of_day')],
            },
        ),
        migrations.CreateModel(
            name='BreakExplanation',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('explanation', models.CharField(max_length=500)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('subject', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='explanations', to='wallets.reconciliationbreak')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('subject',), name='explanation_pending_once'), models.CheckConstraint(condition=models.Q(('explanation__regex', '\\S')), name='explanation_in_writing')],
            },
        ),
        # Parameters None: the texts are sent as they are.
        migrations.RunSQL([(COMPOSITE_KEYS, None), (STORAGE, None)], migrations.RunSQL.noop),
        migrations.RunSQL([(TRANSFER_RULES, None)], "DROP TABLE wallets_transferrule"),
        migrations.RunSQL([(IDS_ORDERED_SINCE, None)], "DROP FUNCTION ids_ordered_since()"),
        migrations.RunPython(seed, migrations.RunPython.noop),
    ]
