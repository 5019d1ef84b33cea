"""The ledger, money in and out, reconciliation, and the settings of finance.

The tables, and what is beyond models: keys, storage, the function of a generated column, the rules of
transfers, and the rows that are there from the beginning.
"""

from decimal import Decimal

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone

from exchange.core.ids import uuid7
from exchange.core.migration_operations import CreateTables
import exchange.core.ids
import exchange.core.words

# What a bank record is searched by: the words of the payee's names, the account number, and the number
# backwards behind an `r`, so that its last digits are the beginning of a word as well. Query it by
# `name_words`. Names of functions are bound when this one is made: no search path.
BANK_WORDS = """
CREATE FUNCTION bank_words(p_account_name text, p_given_name text, p_number text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('pg_catalog.simple'::regconfig, regexp_replace(
    fold_text(p_account_name || ' ' || p_given_name)
        || apostrophe_parts(p_account_name || ' ' || p_given_name)
        || ' ' || p_number || ' r' || reverse(p_number),
    '[^[:alnum:]]+', ' ', 'g'))
"""

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
ALTER TABLE wallets_virtualaccount
    ADD CONSTRAINT virtual_account_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
ALTER TABLE wallets_paymentresolution
    ADD CONSTRAINT payment_resolution_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
ALTER TABLE wallets_freeze
    ADD CONSTRAINT freeze_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id)
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
    by_service boolean NOT NULL,
    -- The condition that justifies a transfer, beyond the record and its state.
    justified_if text NOT NULL DEFAULT ''
)
"""

# Minimum, fee, units per USD, amount from which two people must approve, internal fee (0: none).
WITHDRAWALS = {
    "NGN": (1000, 50, 1500, 5000000, 0),
    "KES": (100, 30, 129, 500000, 0),
    "GHS": (20, 5, 12, 50000, 0),
    "ZAR": (50, 10, 18, 75000, 0),
    "UGX": (5000, 1500, 3700, 15000000, 0),
    "TZS": (2500, 1000, 2500, 10000000, 0),
}
WITHDRAWAL_KEYS = (
    ("MINIMUM_WITHDRAWAL_{}", "Minimum withdrawal, in {}"),
    ("{}_WITHDRAWAL_FEE", "Flat withdrawal fee, in {}"),
    ("{}_USD_RATE", "{} per USD, for conversions and the USD value shown on withdrawals"),
    ("SECOND_APPROVAL_ABOVE_{}", "Withdrawals from this amount in {} require two approvers"),
    ("{}_INTERNAL_FEE", "Internal fee shown on an organisation's withdrawal, in {}"),
)
# So many times the amount from which two people must approve.
DAILY_KEYS = (
    (
        "SECOND_APPROVAL_DAILY_ABOVE_{}",
        20,
        "Withdrawals of an organisation and its members within 24 hours that reach this total in {}"
        " require two approvers",
    ),
    (
        "SOLE_APPROVALS_DAILY_{}",
        10,
        "Maximum that one person may approve alone within 24 hours, in {}",
    ),
)
# Spread in basis points, and the most to be long or short of.
CONVERSIONS = {
    "NGN": (100, 100000000),
    "KES": (100, 10000000),
    "GHS": (100, 1000000),
    "ZAR": (100, 1500000),
    "UGX": (100, 300000000),
    "TZS": (100, 200000000),
    "USD": (0, 100000),
}
CONVERSION_KEYS = (
    ("CONVERSION_SPREAD_{}", "Spread of conversions from or into {}, in basis points"),
    (
        "CONVERSION_POSITION_LIMIT_{}",
        "Maximum that conversions may leave the exchange long or short of, in {}",
    ),
)
OTHER_SETTINGS = (
    ("PAYOUTS_ON_HOLD", 0, "Payouts on hold: 1 stops sending them, 0 sends them"),
    ("DEPOSIT_CLEARING_DAYS", 3, "Days until a deposit by card or mobile money is available"),
    (
        "DEPOSIT_FEE_BORNE_BY_OWNER",
        0,
        "Who bears the provider's charge of a deposit: 0 the exchange, 1 the owner",
    ),
)


def settings_rows():
    """Yield key, value and description of each setting."""
    for code, values in WITHDRAWALS.items():
        for (key, text), value in zip(WITHDRAWAL_KEYS, values, strict=True):
            yield key.format(code), value, text.format(code)
        for key, times, text in DAILY_KEYS:
            yield key.format(code), times * values[3], text.format(code)
    for code, values in CONVERSIONS.items():
        for (key, text), value in zip(CONVERSION_KEYS, values, strict=True):
            yield key.format(code), value, text.format(code)
    yield from OTHER_SETTINGS


def seed(apps, schema_editor):
    alias = schema_editor.connection.alias
    names = ("Asset", "Account", "Configuration", "PayoutCircuit")
    asset, account, configuration, circuit = (apps.get_model("wallets", name) for name in names)
    currencies = apps.get_model("exchange", "Currency").objects.using(alias).order_by("position")
    asset.objects.using(alias).bulk_create(
        asset(id=row.code, currency=row, decimals=row.decimals) for row in currencies
    )
    account.objects.using(alias).bulk_create(
        account(id=uuid7(), asset_id=row.code, kind=kind, balance=None)
        for row in currencies
        for kind in ("clearing", "fees", "expenses")
    )
    configuration.objects.using(alias).bulk_create(
        configuration(key=key, value=Decimal(value), description=text)
        for key, value, text in settings_rows()
    )
    circuit.objects.using(alias).create(updated_at=timezone.now())


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('exchange', '0001_initial'),
    ]

    operations = [
        # A generated column needs it.
        migrations.RunSQL([(BANK_WORDS, None)], "DROP FUNCTION bank_words(text, text, text)"),
        CreateTables([
            migrations.CreateModel(
                name='Alert',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('kind', models.CharField(max_length=40)),
                    ('subject', models.CharField(blank=True, max_length=80)),
                    ('message', models.CharField(max_length=500)),
                    ('raised_at', models.DateTimeField()),
                    ('occurrences', models.PositiveIntegerField(default=1)),
                    ('resolved_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'ordering': ['-raised_at', '-id'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('resolved_at__isnull', True)), fields=('kind', 'subject'), name='alert_open_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='BankList',
                fields=[
                    ('currency', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, serialize=False, to='exchange.currency')),
                    ('banks', models.JSONField(default=list, help_text="[{id, name, code}], the provider's own")),
                    ('fetched_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='ConversionQuote',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('from_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('to_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
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
                    ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                    ('expires_at', models.DateTimeField()),
                ],
                options={
                    'default_permissions': (),
                    'indexes': [models.Index(fields=['created_at'], name='conversion_quote_age')],
                },
            ),
            migrations.CreateModel(
                name='Conversion',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('from_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('to_currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
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
                    ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='conversions', to='exchange.organisation')),
                    ('member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='conversions', to='exchange.member')),
                    ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('quote_id', models.UUIDField()),
                    ('status', models.CharField(choices=[('Completed', 'Completed')], default='Completed', max_length=10)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'default_permissions': ('view',),
                    'indexes': [
                        models.Index(fields=['organisation', '-created_at', '-id'], name='conversion_listed'),
                        models.Index(fields=['owner_id', '-created_at'], name='conversion_of_owner'),
                        models.Index(fields=['amount', 'from_currency', '-id'], name='conversion_amount'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('quote_id',), name='conversion_quote_once'),
                        models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('converted_amount__gt', 0), ('fee__gte', 0), models.Q(('from_currency', models.F('to_currency')), _negated=True)), name='conversion_amounts_positive'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Deposit',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('approval_reason', models.CharField(blank=True, db_default='', default='', help_text='Why it was approved although it is beyond what is usual', max_length=300)),
                    ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.organisation')),
                    ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.member')),
                    ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('channel', models.CharField(choices=[('virtual_account', 'Virtual account'), ('checkout', 'Checkout'), ('manual', 'Manual')], db_default='manual', default='manual', max_length=15)),
                    ('amount', models.DecimalField(decimal_places=8, help_text='What arrived; of a pending checkout what was requested', max_digits=38)),
                    ('fee', models.DecimalField(db_default=0, decimal_places=8, default=0, help_text="The provider's charge, where the owner bears it", max_digits=38)),
                    ('requested_amount', models.DecimalField(blank=True, decimal_places=8, help_text='What a checkout requested', max_digits=38, null=True)),
                    ('requested_currency', models.CharField(blank=True, db_default='', max_length=3)),
                    ('reference', models.CharField(help_text="Of a manual deposit the bank's reference; else our own", max_length=100)),
                    ('reference_key', models.TextField(db_default='', default='', editable=False, help_text='How references of manual deposits are compared')),
                    ('provider_fee', models.DecimalField(db_default=0, decimal_places=8, default=0, help_text="The provider's charge, whoever bears it", max_digits=38)),
                    ('note', models.CharField(blank=True, max_length=300)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Reversed', 'Reversed')], default='Pending', max_length=10)),
                    ('entered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('reason', models.CharField(blank=True, help_text='Why it failed', max_length=500)),
                    ('redirect_url', models.CharField(blank=True, db_default='', max_length=500)),
                    ('provider_reference', models.CharField(blank=True, db_default='', max_length=100)),
                    ('payer_name', models.CharField(blank=True, db_default='', max_length=200)),
                    ('payer_bank', models.CharField(blank=True, db_default='', max_length=200)),
                    ('payer_account', models.CharField(blank=True, db_default='', max_length=40)),
                    ('available_at', models.DateTimeField(blank=True, help_text='When uncleared money becomes available', null=True)),
                    ('cleared_at', models.DateTimeField(blank=True, null=True)),
                    ('disputed_at', models.DateTimeField(blank=True, null=True)),
                    ('disputed_amount', models.DecimalField(blank=True, decimal_places=8, help_text="What the payer's bank demands back", max_digits=38, null=True)),
                    ('reversed_amount', models.DecimalField(db_default=0, decimal_places=8, default=0, help_text='What of the net amount was taken back', max_digits=38)),
                    ('flags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), db_default=[], default=list, help_text='How the payment differs from its checkout', size=None)),
                    ('updated_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ('document', models.TextField(db_default='', default='', editable=False)),
                    ('client_reference', models.CharField(blank=True, help_text="The organisation's own reference", max_length=64, null=True)),
                    ('metadata', models.JSONField(blank=True, help_text="The organisation's own data", null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [('decide_deposit', 'Can confirm and reject deposits')],
                    'indexes': [
                        models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='deposit_pending'),
                        models.Index(fields=['organisation', '-created_at', '-id'], name='deposit_listed'),
                        models.Index(fields=['owner_id', '-created_at'], name='deposit_of_owner'),
                        models.Index(fields=['amount', 'currency', '-id'], name='deposit_amount'),
                        models.Index(condition=models.Q(('status', 'Failed')), fields=['reference'], name='deposit_failed_reference'),
                        models.Index(condition=models.Q(('payer_account', ''), _negated=True), fields=['payer_account'], name='deposit_payer_account'),
                        models.Index(condition=models.Q(('available_at__isnull', False), ('cleared_at__isnull', True)), fields=['available_at'], name='deposit_uncleared'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('fee__gte', 0), ('fee__lt', models.F('amount'))), name='deposit_amount_positive'),
                        models.UniqueConstraint(condition=models.Q(('status', 'Failed'), _negated=True), fields=('reference',), name='deposit_reference_once'),
                        models.UniqueConstraint(condition=models.Q(models.Q(('status', 'Failed'), _negated=True), models.Q(('reference_key', ''), _negated=True)), fields=('reference_key',), name='deposit_reference_key_once'),
                        models.UniqueConstraint(condition=models.Q(('client_reference__isnull', False)), fields=('client_reference', 'organisation'), name='deposit_client_reference_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ManualDeposit',
                fields=[
                ],
                options={
                    'proxy': True,
                    'default_permissions': (),
                },
                bases=('wallets.deposit',),
            ),
            migrations.CreateModel(
                name='VirtualAccount',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.organisation')),
                    ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='exchange.member')),
                    ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
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
                    'indexes': [models.Index(fields=['account_number'], name='virtual_account_number')],
                    'constraints': [
                        models.UniqueConstraint(fields=('owner_id', 'currency'), name='virtual_account_once_per_owner'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Payment',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('transaction_id', models.BigIntegerField(help_text="The provider's", unique=True)),
                    ('tx_ref', models.CharField(blank=True, max_length=100)),
                    ('status', models.CharField(choices=[('Reported', 'Reported'), ('Pending', 'Pending'), ('Credited', 'Credited'), ('Unmatched', 'Unmatched'), ('Refunding', 'Refunding'), ('Refunded', 'Refunded'), ('Failed', 'Failed'), ('Disproved', 'Disproved')], default='Reported', max_length=10)),
                    ('provider_reference', models.CharField(blank=True, help_text='`flw_ref`', max_length=100)),
                    ('currency_code', models.CharField(blank=True, max_length=10)),
                    ('amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('charged_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('settled_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('provider_fee', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('booked_fee', models.DecimalField(blank=True, decimal_places=8, help_text='The fee that was booked when it was kept as unmatched; null if it was not', max_digits=38, null=True)),
                    ('payment_type', models.CharField(blank=True, max_length=40)),
                    ('payer_name', models.CharField(blank=True, max_length=200)),
                    ('payer_bank', models.CharField(blank=True, db_default='', max_length=200)),
                    ('payer_account', models.CharField(blank=True, db_default='', max_length=40)),
                    ('paid_at', models.DateTimeField(blank=True, null=True)),
                    ('deposit', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payment', to='wallets.deposit')),
                    ('refund_reference', models.CharField(blank=True, db_default='', help_text="The provider's reference of the refund", max_length=100)),
                    ('charged_back_amount', models.DecimalField(db_default=0, decimal_places=8, default=0, help_text='What the provider last said was taken back from us', max_digits=38)),
                    ('last_error', models.CharField(blank=True, max_length=300)),
                    ('lookups', models.PositiveIntegerField(default=0)),
                    ('next_lookup_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['-id'],
                    'indexes': [
                        models.Index(condition=models.Q(('next_lookup_at__isnull', False)), fields=['next_lookup_at'], name='payment_lookup_due'),
                        models.Index(condition=models.Q(('status__in', ['Unmatched', 'Refunding'])), fields=['created_at'], name='payment_unmatched'),
                        models.Index(fields=['provider_reference'], name='payment_at_provider'),
                        models.Index(fields=['tx_ref', '-id'], name='payment_reference'),
                        django.contrib.postgres.indexes.GinIndex(exchange.core.words.FoldedWords('payer_name'), name='payment_payer_folded'),
                        models.Index(fields=['paid_at'], name='payment_paid_on'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('deposit__isnull', False), ('status', 'Credited')), models.Q(models.Q(('status', 'Credited'), _negated=True), ('deposit__isnull', True)), _connector='OR'), name='payment_credited_to_deposit'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='DepositReversal',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('amount', models.DecimalField(decimal_places=8, help_text='What is taken back', max_digits=38)),
                    ('held', models.DecimalField(blank=True, decimal_places=8, help_text='What a dispute keeps as uncleared until the decision', max_digits=38, null=True)),
                    ('deposit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reversals', to='wallets.deposit')),
                    ('explanation', models.CharField(help_text="Why the money is taken back, with the provider's reference", max_length=500)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [('reverse_deposit', 'Can propose and confirm reversals of deposits')],
                    'default_permissions': ('view',),
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('deposit',), name='deposit_reversal_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='PaymentResolution',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('payment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='resolutions', to='wallets.payment')),
                    ('action', models.CharField(choices=[('Assign', 'Assign'), ('Refund', 'Refund'), ('Refunded', 'Record refund'), ('Not refunded', 'Record no refund')], max_length=12)),
                    ('organisation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                    ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.member')),
                    ('explanation', models.CharField(max_length=500)),
                    ('refund_reference', models.CharField(blank=True, db_default='', help_text="The provider's reference of the refund", max_length=100)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [('resolve_payment', 'Can propose and confirm what becomes of payments')],
                    'default_permissions': ('view',),
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('payment',), name='payment_resolution_once'),
                        models.CheckConstraint(condition=models.Q(models.Q(('action', 'Assign'), ('organisation__isnull', False)), models.Q(models.Q(('action', 'Assign'), _negated=True), ('member__isnull', True), ('organisation__isnull', True)), _connector='OR'), name='payment_resolution_has_owner'),
                        models.CheckConstraint(condition=models.Q(('action', 'Refunded'), ('refund_reference', ''), _connector='XOR'), name='payment_resolution_has_reference'),
                    ],
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
                    'verbose_name': 'setting',
                    'ordering': ['key'],
                    'permissions': [
                        ('propose_configuration', 'Can propose settings changes'),
                        ('decide_configuration', 'Can approve and reject settings changes of others'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('value__gte', 0)), name='configuration_not_negative'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SettingChange',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('approval_reason', models.CharField(blank=True, db_default='', default='', help_text='Why it was approved although it is beyond what is usual', max_length=300)),
                    ('configuration', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='wallets.configuration')),
                    ('value', models.DecimalField(decimal_places=8, max_digits=30)),
                    ('reason', models.CharField(max_length=300)),
                    ('proposed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('effective_from', models.DateTimeField(help_text='As proposed; null: on approval', null=True)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Withdrawn', 'Cancelled by proposer'), ('Cancelled', 'Cancelled')], default='Pending', max_length=10)),
                    ('decision_note', models.CharField(blank=True, help_text='Reason of a rejection', max_length=300)),
                    ('effective_at', models.DateTimeField(help_text='Of an approved change: as proposed, but not before its approval', null=True)),
                    ('cancellation_requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('cancellation_reason', models.CharField(blank=True, max_length=300)),
                    ('cancelled_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('cancelled_at', models.DateTimeField(null=True)),
                ],
                options={
                    'verbose_name': 'settings change',
                    'verbose_name_plural': 'settings changes',
                    'ordering': ['-created_at', '-id'],
                    'default_permissions': ('view',),
                    'indexes': [
                        models.Index(models.F('configuration'), models.OrderBy(models.F('effective_at'), descending=True), models.OrderBy(models.F('decided_at'), descending=True), condition=models.Q(('status', 'Approved')), include=('value',), name='setting_change_effective'),
                        models.Index(models.F('configuration'), models.OrderBy(models.F('created_at'), descending=True), name='setting_change_history'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('value__gte', 0)), name='setting_change_not_negative'),
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'Cancelled'), _negated=True), models.Q(('cancellation_requested_by__isnull', False), ('cancelled_by__isnull', False), models.Q(('cancelled_by', models.F('cancellation_requested_by')), _negated=True)), _connector='OR'), name='setting_change_cancelled_by_two'),
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('configuration',), name='setting_change_pending_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Freeze',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='exchange.organisation')),
                    ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='exchange.member')),
                    ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('currency', models.ForeignKey(blank=True, help_text='Empty: every currency and all units', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('reason', models.CharField(help_text='Never sent to the organisation', max_length=500)),
                    ('placed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('lifted_at', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [
                        ('place_freeze', 'Can freeze members and wallets'),
                        ('lift_freeze', 'Can propose and confirm to lift freezes'),
                    ],
                    'default_permissions': ('view',),
                    'indexes': [models.Index(fields=['owner_id', '-created_at', '-id'], name='freeze_of_owner')],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('owner_id', 'currency'), name='freeze_active_once', nulls_distinct=False),
                    ],
                },
            ),
            migrations.CreateModel(
                name='FreezeLift',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('freeze', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lifts', to='wallets.freeze')),
                    ('explanation', models.CharField(max_length=500)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'default_permissions': ('view',),
                    'indexes': [
                        models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='freeze_lift_pending'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status__in', ['Pending', 'Approved'])), fields=('freeze',), name='freeze_lift_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Asset',
                fields=[
                    ('id', models.CharField(max_length=36, primary_key=True, serialize=False)),
                    ('currency', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='asset', to='exchange.currency')),
                    ('token', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='units', to='exchange.token')),
                    ('decimals', models.PositiveSmallIntegerField()),
                ],
                options={
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('currency__isnull', False), ('token__isnull', True)), models.Q(('currency__isnull', True), ('token__isnull', False)), _connector='OR'), name='asset_currency_or_token'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Account',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('asset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='wallets.asset')),
                    ('kind', models.CharField(choices=[('available', 'Available'), ('escrow', 'Escrow'), ('lien', 'Lien'), ('reserved', 'Reserved'), ('unsold', 'Unsold'), ('raise', 'Raise'), ('uncleared', 'Uncleared'), ('receivable', 'Receivable'), ('clearing', 'Clearing'), ('fees', 'Fees'), ('expenses', 'Expenses'), ('issuance', 'Issuance'), ('unmatched', 'Unmatched'), ('treasury', 'Treasury'), ('position', 'Position'), ('principal', 'Principal'), ('interest', 'Interest'), ('loans', 'Loans and earned interest')], max_length=10)),
                    ('organisation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='exchange.organisation')),
                    ('member', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='exchange.member')),
                    ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField(null=True))),
                    ('balance', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                    ('closed', models.BooleanField(db_default=False, default=False, help_text='Of a closed member: stays empty')),
                ],
                options={
                    'ordering': ['asset', 'kind', 'id'],
                    'indexes': [
                        models.Index(condition=models.Q(('kind', 'receivable')), fields=['asset'], name='account_receivable'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('balance__isnull', False), models.Q(('balance__gte', 0), ('kind', 'receivable'), _connector='OR')), models.Q(('balance__isnull', True), ('organisation__isnull', True)), _connector='OR'), name='account_balance_not_negative'),
                        models.CheckConstraint(condition=models.Q(models.Q(('kind', 'receivable'), _negated=True), ('balance__lte', 0), _connector='OR'), name='account_receivable_not_positive'),
                        models.CheckConstraint(condition=models.Q(('closed', False), ('balance', 0), ('kind', 'receivable'), _connector='OR'), name='account_of_closed_member'),
                        models.UniqueConstraint(fields=('owner_id', 'asset', 'kind'), name='account_once_per_owner', nulls_distinct=False),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Transfer',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('kind', models.CharField(choices=[('deposit', 'Deposit'), ('deposit_clear', 'Deposit cleared'), ('deposit_charge', 'Provider charge of a deposit'), ('deposit_reverse', 'Deposit reversal'), ('deposit_hold', 'Hold of a disputed deposit'), ('deposit_release', 'Release of a disputed deposit'), ('payment_unmatched', 'Unmatched payment'), ('payment_refund', 'Refund of an unmatched payment'), ('receivable_repay', 'Receivable repayment'), ('receivable_write_off', 'Receivable write-off'), ('withdrawal_hold', 'Withdrawal hold'), ('withdrawal_settle', 'Withdrawal settlement'), ('withdrawal_release', 'Withdrawal release'), ('withdrawal_reverse', 'Withdrawal reversal'), ('provider_charge', 'Provider charge'), ('wallet_transfer', 'Transfer between wallets'), ('conversion', 'Conversion'), ('treasury', 'Treasury movement'), ('units_issue', 'Issue of units'), ('units_retire', 'Retirement of units'), ('order_reserve', 'Order reservation'), ('order_release', 'Order release'), ('trade', 'Trade'), ('raise_sale', 'Raise sale'), ('raise_complete', 'Raise completion'), ('raise_refund', 'Raise refund'), ('loan_disburse', 'Loan disbursement'), ('loan_repay', 'Loan repayment'), ('loan_pledge', 'Loan pledge'), ('loan_release', 'Loan release'), ('loan_liquidate', 'Loan liquidation'), ('loan_write_off', 'Loan write-off')], max_length=30)),
                    ('reference', models.CharField(help_text='Unique name of the step, such as `withdrawal:<id>:close` (settle or release)', max_length=120)),
                    ('subject_id', models.UUIDField(help_text='Id of the record it is about', null=True)),
                    ('actor', models.CharField(max_length=80)),
                    ('memo', models.CharField(blank=True, max_length=300)),
                    ('created_at', models.DateTimeField()),
                    ('created_txid', models.BigIntegerField()),
                ],
                options={
                    'verbose_name': 'ledger transfer',
                    'ordering': ['-created_at', '-id'],
                    'indexes': [
                        models.Index(fields=['subject_id'], name='transfer_subject'),
                        django.contrib.postgres.indexes.BrinIndex(autosummarize=True, fields=['created_txid'], name='transfer_txid', pages_per_range=32),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('reference',), name='transfer_reference_once'),
                        models.UniqueConstraint(condition=models.Q(('kind__in', ['withdrawal_settle', 'withdrawal_release'])), fields=('subject_id',), name='transfer_closes_once'),
                        models.UniqueConstraint(condition=models.Q(('kind', 'provider_charge')), fields=('subject_id',), name='transfer_charges_once'),
                        models.UniqueConstraint(condition=models.Q(('kind', 'withdrawal_reverse')), fields=('subject_id',), name='transfer_reverses_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Entry',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('transfer', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='wallets.transfer')),
                    ('account', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='wallets.account')),
                    ('asset', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.asset')),
                    ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('balance_after', models.DecimalField(decimal_places=8, help_text="Balance of the owner's account; null for system accounts", max_digits=38, null=True)),
                ],
                options={
                    'verbose_name_plural': 'entries',
                    'ordering': ['-id'],
                    'indexes': [models.Index(fields=['account', '-id'], name='entry_statement')],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='entry_amount_not_zero'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='BooksProof',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('ran_at', models.DateTimeField()),
                    ('incremental', models.BooleanField(db_default=False, help_text='Whether it started from the checkpoint')),
                    ('passed', models.BooleanField()),
                    ('findings', models.JSONField(default=list)),
                    ('milliseconds', models.PositiveIntegerField()),
                    ('totals', models.JSONField(default=dict, help_text="Sum of each system account's entries before `totals_before`, by account")),
                    ('totals_before', models.UUIDField(help_text='Entries with smaller ids are in `totals`', null=True)),
                ],
                options={
                    'verbose_name': 'ledger integrity check',
                    'verbose_name_plural': 'ledger integrity checks',
                    'ordering': ['-ran_at', '-id'],
                },
            ),
            migrations.CreateModel(
                name='Checkpoint',
                fields=[
                    ('id', models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                    ('position', models.BigIntegerField(help_text='Transfers of transactions with smaller ids are in the balances')),
                    ('taken_at', models.DateTimeField()),
                ],
                options={
                    'default_permissions': (),
                    'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='checkpoint_single')],
                },
            ),
            migrations.CreateModel(
                name='CheckpointBalance',
                fields=[
                    ('account', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='+', serialize=False, to='wallets.account')),
                    ('total', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('entries', models.BigIntegerField()),
                    ('digest', models.DecimalField(decimal_places=0, max_digits=40)),
                ],
                options={
                    'default_permissions': (),
                },
            ),
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
            migrations.CreateModel(
                name='BankAccount',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                    ('name', models.CharField(help_text='Bank name as the provider spells it', max_length=200)),
                    ('code', models.CharField(max_length=20)),
                    ('provider_bank_id', models.BigIntegerField(null=True)),
                    ('account_number', models.CharField(max_length=40)),
                    ('account_name', models.CharField(max_length=200)),
                    ('provided_name', models.CharField(help_text='Account name provided by the client', max_length=200)),
                    ('name_resolved', models.BooleanField(default=False)),
                    ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('branch_code', models.CharField(blank=True, max_length=40)),
                    ('recipient_first_name', models.CharField(blank=True, max_length=100)),
                    ('recipient_last_name', models.CharField(blank=True, max_length=100)),
                    ('recipient_email', models.EmailField(blank=True, max_length=254)),
                    ('recipient_phone', models.CharField(blank=True, max_length=30)),
                    ('recipient_address', models.CharField(blank=True, max_length=300)),
                    ('created_at', models.DateTimeField()),
                    ('document', models.TextField(default='', editable=False)),
                    ('words', models.GeneratedField(db_persist=True, expression=models.Func('account_name', 'provided_name', 'account_number', function='bank_words'), output_field=django.contrib.postgres.search.SearchVectorField())),
                ],
                options={
                    'verbose_name': 'bank record',
                    'ordering': ['-created_at', '-id'],
                    'indexes': [
                        models.Index(fields=['account_number', 'code'], name='bank_account_used'),
                        django.contrib.postgres.indexes.GinIndex(fields=['words'], name='bank_words'),
                    ],
                    'constraints': [models.UniqueConstraint(fields=('id', 'organisation'), name='bank_organisation')],
                },
            ),
            migrations.CreateModel(
                name='Withdrawal',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='withdrawals', to='exchange.organisation')),
                    ('member', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='withdrawals', to='exchange.member')),
                    ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('reference', models.CharField(max_length=40)),
                    ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('fee', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('disburse_amount', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('gusd_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('internal_fee', models.DecimalField(decimal_places=8, default=0, max_digits=38)),
                    ('internal_fee_type', models.CharField(default='NONE', max_length=10)),
                    ('escrow_account', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.account')),
                    ('bank', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='withdrawal', to='wallets.bankaccount')),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Cancelled', 'Cancelled'), ('Processing', 'Processing'), ('Unknown', 'Unknown'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Reversed', 'Reversed')], default='Pending', max_length=10)),
                    ('version', models.PositiveIntegerField(default=1)),
                    ('requested_by', models.CharField(help_text='Actor that requested it', max_length=80)),
                    ('approvals_needed', models.PositiveSmallIntegerField(default=1)),
                    ('first_approver', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('second_approver', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('actioned_on', models.DateTimeField(blank=True, null=True)),
                    ('actioned_by', models.CharField(blank=True, max_length=200)),
                    ('reason', models.CharField(blank=True, help_text='Why it was rejected, cancelled, or failed', max_length=500)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                    ('document', models.TextField(default='', editable=False)),
                    ('client_reference', models.CharField(blank=True, help_text="The organisation's own reference", max_length=64, null=True)),
                    ('metadata', models.JSONField(blank=True, help_text="The organisation's own data", null=True)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [
                        ('decide_withdrawal', 'Can approve and reject withdrawals'),
                        ('resolve_payout', 'Can decide about unresolved and returned payouts'),
                    ],
                    'indexes': [
                        models.Index(fields=['organisation', '-created_at', '-id'], name='withdrawal_listed'),
                        models.Index(fields=['owner_id', '-created_at'], name='withdrawal_of_owner'),
                        models.Index(fields=['amount'], name='withdrawal_amount'),
                        models.Index(fields=['disburse_amount'], name='withdrawal_net_amount'),
                        models.Index(condition=models.Q(('status__in', ['Pending', 'Approved', 'Processing', 'Unknown'])), fields=['status', 'created_at'], name='withdrawal_open'),
                        models.Index(condition=models.Q(('status', 'Failed')), fields=['updated_at'], name='withdrawal_failed'),
                        models.Index(condition=models.Q(('status__in', ['Completed', 'Failed', 'Reversed'])), fields=['updated_at', 'status', 'currency', 'disburse_amount'], name='withdrawal_ended'),
                        models.Index(condition=models.Q(('first_approver__isnull', False)), fields=['first_approver', 'actioned_on'], name='withdrawal_approved_by'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('reference',), name='withdrawal_reference_once'),
                        models.UniqueConstraint(condition=models.Q(('client_reference__isnull', False)), fields=('client_reference', 'organisation'), name='withdrawal_client_reference_once'),
                        models.CheckConstraint(condition=models.Q(('amount', django.db.models.expressions.CombinedExpression(models.F('fee'), '+', models.F('disburse_amount'))), ('disburse_amount__gt', 0), ('fee__gte', 0)), name='withdrawal_amounts_add_up'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Payout',
                fields=[
                    ('withdrawal', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='payout', serialize=False, to='wallets.withdrawal')),
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
                    ('status_checks', models.PositiveIntegerField(default=0)),
                    ('not_found_count', models.PositiveIntegerField(default=0)),
                    ('first_not_found_at', models.DateTimeField(blank=True, null=True)),
                    ('last_not_found_at', models.DateTimeField(blank=True, null=True)),
                    ('settled_at', models.DateTimeField(blank=True, null=True)),
                    ('monitor_until', models.DateTimeField(blank=True, help_text='Closed payouts are checked for a return until then', null=True)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['-created_at'],
                    'indexes': [
                        models.Index(condition=models.Q(('next_step_at__isnull', False)), fields=['next_step_at'], name='payout_step_due'),
                        models.Index(condition=models.Q(('provider_status', 'FAILED'), ('settled_at__isnull', False)), fields=['withdrawal'], name='payout_returned'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Decision',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('withdrawal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='wallets.withdrawal')),
                    ('verdict', models.CharField(choices=[('Approve', 'Approve'), ('Reject', 'Reject'), ('Cancel', 'Cancel'), ('Add details', 'Add Details'), ('Propose', 'Propose'), ('Confirm', 'Confirm'), ('Decline', 'Decline')], max_length=11)),
                    ('actor', models.CharField(max_length=80)),
                    ('actor_label', models.CharField(max_length=200)),
                    ('reason', models.CharField(blank=True, max_length=500)),
                    ('details', models.JSONField(blank=True, default=dict)),
                    ('flags', models.JSONField(blank=True, null=True)),
                    ('override', models.CharField(blank=True, db_default='', help_text='Reason for approving despite a critical flag; internal', max_length=500)),
                    ('version', models.PositiveIntegerField(help_text='Version of the withdrawal that was decided on')),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['created_at', 'id'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('verdict__in', ['Approve', 'Reject', 'Cancel'])), fields=('withdrawal', 'version'), name='decision_once_per_version'),
                        models.CheckConstraint(condition=models.Q(models.Q(('flags__contains', [{'level': 'Critical'}]), ('verdict', 'Approve'), _negated=True), ('override__regex', '\\S'), _connector='OR'), name='decision_critical_flag_overridden'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Proposal',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('withdrawal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='wallets.withdrawal')),
                    ('action', models.CharField(choices=[('Send again', 'Send Again'), ('Fail', 'Fail'), ('Reverse', 'Reverse'), ('Return', 'Return')], max_length=12)),
                    ('reason', models.CharField(max_length=500)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ],
                options={
                    'verbose_name': 'payout proposal',
                    'ordering': ['-created_at', '-id'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('withdrawal',), name='proposal_one_open_per_withdrawal'),
                        models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', True), ('status', 'Pending')), models.Q(models.Q(('status', 'Pending'), _negated=True), ('decided_by__isnull', False)), _connector='OR'), name='proposal_decided_by_somebody'),
                    ],
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
                    ('deliveries', models.PositiveIntegerField(default=1)),
                ],
                options={
                    'ordering': ['-received_at', '-id'],
                },
            ),
            migrations.CreateModel(
                name='PayoutCircuit',
                fields=[
                    ('id', models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                    ('state', models.CharField(choices=[('Closed', 'Closed'), ('Open', 'Open'), ('Half-open', 'Half Open')], default='Closed', max_length=9)),
                    ('failures', models.PositiveIntegerField(default=0, help_text='Consecutive, while Closed')),
                    ('failed_trials', models.PositiveIntegerField(default=0, help_text='Since it opened')),
                    ('reason', models.CharField(blank=True, help_text='The last failure', max_length=300)),
                    ('opened_at', models.DateTimeField(null=True)),
                    ('next_probe_at', models.DateTimeField(null=True)),
                    ('trial', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
                    ('trial_until', models.DateTimeField(null=True)),
                    ('quiet_until', models.DateTimeField(help_text='No requests to the provider before this time (Retry-After)', null=True)),
                    ('updated_at', models.DateTimeField()),
                ],
                options={
                    'default_permissions': (),
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('id', 1)), name='payout_circuit_only_row'),
                        models.CheckConstraint(condition=models.Q(models.Q(('trial', None), ('trial_until', None)), models.Q(('state', 'Half-open'), ('trial__isnull', False), ('trial_until__isnull', False)), _connector='OR'), name='payout_circuit_trial_half_open'),
                        models.CheckConstraint(condition=models.Q(('state', 'Closed'), models.Q(('next_probe_at__isnull', False), ('opened_at__isnull', False)), _connector='OR'), name='payout_circuit_probes'),
                    ],
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
                },
                bases=('wallets.account',),
            ),
            migrations.CreateModel(
                name='ReceivableWriteOff',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='write_offs', to='wallets.account')),
                    ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('explanation', models.CharField(help_text='Why the debt will not be paid', max_length=500)),
                ],
                options={
                    'verbose_name': 'receivable write-off',
                    'ordering': ['-created_at', '-id'],
                    'permissions': [('write_off_receivable', 'Can propose and confirm write-offs of debts')],
                    'default_permissions': ('view',),
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('account',), name='write_off_pending_once'),
                        models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='write_off_amount_positive'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Reconciliation',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('day', models.DateField()),
                    ('status', models.CharField(choices=[('Waiting', 'Waiting'), ('Running', 'Running'), ('Matched', 'Matched'), ('Differs', 'Differs'), ('Incomplete', 'Incomplete')], default='Waiting', max_length=10)),
                    ('reason', models.CharField(blank=True, help_text='Why the report is incomplete', max_length=500)),
                    ('differences', models.PositiveIntegerField(default=0)),
                    ('compared', models.PositiveIntegerField(default=0, help_text="Payouts and payments compared with the provider's records")),
                    ('requested_by', models.CharField(help_text='The actor', max_length=80)),
                    ('requested_by_label', models.CharField(max_length=200)),
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
                    'permissions': [('run_reconciliation', 'Can run reconciliation with the provider')],
                    'indexes': [models.Index(fields=['day', '-created_at'], name='reconciliation_of_day')],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status__in', ['Waiting', 'Running'])), fields=('day',), name='reconciliation_one_under_way'),
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'Matched'), _negated=True), models.Q(('differences', 0), ('reason', '')), _connector='OR'), name='reconciliation_matched_without_differences'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ReconciliationLine',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('kind', models.CharField(choices=[('Received', 'Received'), ('Charges of deposits', 'Deposit Charges'), ('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Opening clearing balance', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Provider charges', 'Charged'), ('Reversals', 'Reversals'), ('Treasury movements', 'Treasury'), ('Other movements', 'Other'), ('Closing clearing balance', 'Closing'), ('Provider balance', 'Balance'), ('In transit', 'In Transit'), ('Variance', 'Variance'), ('Missing at provider', 'Missing'), ('Not in our records', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Provider charge', 'Fee'), ('Credited twice', 'Twice'), ('Charged back', 'Charged Back'), ('Unexplained variance', 'Unexplained'), ('Balance not provided', 'No Balance')], max_length=40)),
                    ('currency', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('our_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                    ('their_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                    ('our_text', models.CharField(blank=True, max_length=200)),
                    ('their_text', models.CharField(blank=True, max_length=200)),
                    ('reference', models.CharField(blank=True, max_length=120)),
                    ('provider_id', models.CharField(blank=True, max_length=40)),
                    ('withdrawal', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
                    ('payment', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.payment')),
                    ('report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='wallets.reconciliation')),
                    ('position', models.PositiveIntegerField()),
                    ('is_difference', models.BooleanField()),
                    ('our_count', models.PositiveIntegerField(null=True)),
                    ('their_count', models.PositiveIntegerField(null=True)),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('report', 'position'), name='reconciliation_line_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ReconciliationBreak',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('kind', models.CharField(choices=[('Received', 'Received'), ('Charges of deposits', 'Deposit Charges'), ('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Opening clearing balance', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Provider charges', 'Charged'), ('Reversals', 'Reversals'), ('Treasury movements', 'Treasury'), ('Other movements', 'Other'), ('Closing clearing balance', 'Closing'), ('Provider balance', 'Balance'), ('In transit', 'In Transit'), ('Variance', 'Variance'), ('Missing at provider', 'Missing'), ('Not in our records', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Provider charge', 'Fee'), ('Credited twice', 'Twice'), ('Charged back', 'Charged Back'), ('Unexplained variance', 'Unexplained'), ('Balance not provided', 'No Balance')], max_length=40)),
                    ('currency', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('our_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                    ('their_amount', models.DecimalField(decimal_places=8, max_digits=38, null=True)),
                    ('our_text', models.CharField(blank=True, max_length=200)),
                    ('their_text', models.CharField(blank=True, max_length=200)),
                    ('reference', models.CharField(blank=True, max_length=120)),
                    ('provider_id', models.CharField(blank=True, max_length=40)),
                    ('withdrawal', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
                    ('payment', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.payment')),
                    ('day', models.DateField()),
                    ('difference', models.DecimalField(decimal_places=8, help_text='Provider less ours', max_digits=38, null=True)),
                    ('status', models.CharField(choices=[('Open', 'Open'), ('Explained', 'Explained'), ('Closed', 'Closed')], default='Open', max_length=9)),
                    ('owner', models.ForeignKey(help_text='Person responsible', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('first_report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.reconciliation')),
                    ('latest_report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.reconciliation')),
                    ('in_latest_report', models.BooleanField(default=True, help_text='Whether the latest report still has it')),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['-id'],
                    'permissions': [('decide_break', 'Can explain and close reconciliation breaks')],
                    'indexes': [
                        models.Index(fields=['day'], name='break_of_day'),
                        models.Index(condition=models.Q(('status', 'Closed'), _negated=True), fields=['day'], name='break_open_of_day'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='BreakExplanation',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('subject', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='explanations', to='wallets.reconciliationbreak')),
                    ('explanation', models.CharField(max_length=500)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('subject',), name='explanation_pending_once'),
                        models.CheckConstraint(condition=models.Q(('explanation__regex', '\\S')), name='explanation_in_writing'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='WalletTransfer',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('organisation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='wallet_transfers', to='exchange.organisation')),
                    ('from_member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transfers_out', to='exchange.member')),
                    ('to_member', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='transfers_in', to='exchange.member')),
                    ('payer_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('from_member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('payee_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('to_member_id', 'organisation_id'), output_field=models.UUIDField())),
                    ('currency', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('status', models.CharField(choices=[('Completed', 'Completed')], default='Completed', max_length=10)),
                    ('requested_by', models.CharField(max_length=80)),
                    ('created_at', models.DateTimeField()),
                    ('document', models.TextField(default='', editable=False)),
                    ('client_reference', models.CharField(blank=True, help_text="The organisation's own reference", max_length=64, null=True)),
                    ('metadata', models.JSONField(blank=True, help_text="The organisation's own data", null=True)),
                ],
                options={
                    'verbose_name': 'wallet transfer',
                    'ordering': ['-created_at', '-id'],
                    'default_permissions': ('view',),
                    'indexes': [
                        models.Index(fields=['organisation', '-created_at', '-id'], name='wallet_transfer_listed'),
                        models.Index(fields=['payer_id', '-created_at'], name='wallet_transfer_of_payer'),
                        models.Index(fields=['payee_id', '-created_at'], name='wallet_transfer_of_payee'),
                        models.Index(fields=['amount', 'currency', '-id'], name='wallet_transfer_amount'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='wallet_transfer_positive'),
                        models.CheckConstraint(condition=models.Q(('payer_id', models.F('payee_id')), _negated=True), name='wallet_transfer_between_two'),
                        models.UniqueConstraint(condition=models.Q(('client_reference__isnull', False)), fields=('client_reference', 'organisation'), name='wallet_transfer_client_reference_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='TreasuryMovement',
                fields=[
                    ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                    ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                    ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                    ('approval_reason', models.CharField(blank=True, db_default='', default='', help_text='Why it was approved although it is beyond what is usual', max_length=300)),
                    ('kind', models.CharField(choices=[('top_up', 'Float top-up'), ('draw_down', 'Float draw-down'), ('fee_payout', 'Payout of fee income'), ('position_close', 'Closing of a position')], max_length=20)),
                    ('currency', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                    ('charge', models.DecimalField(decimal_places=8, default=0, help_text='What the payment provider kept, in addition or of a top-up', max_digits=38)),
                    ('bought_currency', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                    ('bought_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('closed_amount', models.DecimalField(blank=True, decimal_places=8, max_digits=38, null=True)),
                    ('reference', models.CharField(help_text='Of the bank', max_length=100)),
                    ('reference_key', models.TextField(db_default='', default='', editable=False, help_text='How references are compared')),
                    ('note', models.CharField(max_length=300)),
                ],
                options={
                    'ordering': ['-created_at', '-id'],
                    'permissions': [('move_treasury', 'Can propose and confirm treasury movements')],
                    'default_permissions': ('view',),
                    'indexes': [
                        models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='treasury_pending'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'Rejected'), _negated=True), fields=('kind', 'reference'), name='treasury_reference_once'),
                        models.UniqueConstraint(condition=models.Q(models.Q(('status', 'Rejected'), _negated=True), models.Q(('reference_key', ''), _negated=True)), fields=('kind', 'reference_key'), name='treasury_reference_key_once'),
                        models.CheckConstraint(condition=models.Q(('amount__gt', 0), ('charge__gte', 0), models.Q(models.Q(('kind', 'top_up'), _negated=True), ('charge__lt', models.F('amount')), _connector='OR')), name='treasury_amounts_positive'),
                        models.CheckConstraint(condition=models.Q(models.Q(('bought_amount__gt', 0), ('charge', 0), ('closed_amount__gt', 0), ('kind', 'position_close'), models.Q(('bought_currency', models.F('currency')), _negated=True), ('bought_currency__isnull', False)), models.Q(models.Q(('kind', 'position_close'), _negated=True), ('bought_amount__isnull', True), ('bought_currency__isnull', True), ('closed_amount__isnull', True)), _connector='OR'), name='treasury_position_has_two_sides'),
                    ],
                },
            ),
        ]),
        # At once, and not with the other constraints at the end: a key refers to it.
        migrations.AddConstraint(
            'account',
            models.UniqueConstraint(fields=('id', 'owner_id', 'organisation', 'asset'), name='account_owner'),
        ),
        # Parameters None: the texts are sent as they are.
        migrations.RunSQL([(COMPOSITE_KEYS, None), (STORAGE, None)], migrations.RunSQL.noop),
        migrations.RunSQL([(TRANSFER_RULES, None)], "DROP TABLE wallets_transferrule"),
        migrations.RunPython(seed, migrations.RunPython.noop),
    ]
