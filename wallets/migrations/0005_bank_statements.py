"""Bank statements: own accounts, files and lines."""

import django.db.models.deletion
import exchange.core.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0008_request_log'),
        ('wallets', '0004_period_end'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='OwnBankAccount',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=100, unique=True)),
                ('number', models.CharField(help_text='IBAN or number, without spaces', max_length=34)),
                ('layout', models.JSONField(help_text='How to read a CSV file of the bank; null: none was saved', null=True)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
            ],
            options={
                'verbose_name': 'own bank account',
                'ordering': ['name'],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='StatementFile',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=150)),
                ('kind', models.CharField(choices=[('camt.053', 'camt.053'), ('CSV', 'CSV')], max_length=10)),
                ('sha256', models.CharField(max_length=64)),
                ('status', models.CharField(choices=[('Uploaded', 'Uploaded'), ('Imported', 'Imported'), ('Discarded', 'Discarded')], default='Uploaded', max_length=10)),
                ('content', models.BinaryField(help_text='Compressed (zlib)', null=True)),
                ('lines', models.PositiveIntegerField()),
                ('new_lines', models.PositiveIntegerField(help_text='Lines that were not known when it was imported', null=True)),
                ('first_day', models.DateField()),
                ('last_day', models.DateField()),
                ('has_balances', models.BooleanField(help_text='Whether balances prove that no line is missing')),
                ('created_at', models.DateTimeField()),
                ('handled_at', models.DateTimeField(null=True)),
                ('account', models.ForeignKey(blank=True, db_index=False, help_text='Of a CSV file', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.ownbankaccount')),
                ('handled_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('uploaded_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'bank statement file',
                'ordering': ['-id'],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='StatementLine',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('booked_on', models.DateField()),
                ('value_on', models.DateField()),
                ('amount', models.DecimalField(decimal_places=8, max_digits=38)),
                ('bank_reference', models.CharField(blank=True, max_length=100)),
                ('number', models.PositiveIntegerField(help_text='From 1, among lines of the account with the same day, amount and reference')),
                ('payment_reference', models.CharField(blank=True, help_text='Of the payer: the end-to-end reference', max_length=100)),
                ('counterparty', models.CharField(blank=True, max_length=200)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('is_reversal', models.BooleanField(default=False)),
                ('status', models.CharField(choices=[('Open', 'Open'), ('Proposed', 'Proposed'), ('Matched', 'Matched'), ('Set aside', 'Set Aside')], default='Open', max_length=10)),
                ('reason', models.CharField(blank=True, help_text='Why it was set aside', max_length=300)),
                ('handled_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.ownbankaccount')),
                ('currency', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('handled_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('deposit', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.deposit')),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.statementfile')),
                ('movement', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.treasurymovement')),
            ],
            options={
                'verbose_name': 'bank statement line',
                'ordering': ['-booked_on', '-id'],
                'permissions': [('match_statement', 'Can import bank statements and match their lines with records')],
                'default_permissions': ('view',),
            },
        ),
        migrations.AddConstraint(
            model_name='ownbankaccount',
            constraint=models.UniqueConstraint(fields=('number', 'currency'), name='own_bank_account_once'),
        ),
        migrations.AddConstraint(
            model_name='statementfile',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('content__isnull', False), ('handled_at__isnull', True), ('handled_by__isnull', True), ('new_lines__isnull', True), ('status', 'Uploaded')), models.Q(models.Q(('status', 'Uploaded'), _negated=True), ('content__isnull', True), ('handled_at__isnull', False), ('handled_by__isnull', False)), _connector='OR'), name='statement_file_content_until_decided'),
        ),
        migrations.AddConstraint(
            model_name='statementfile',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('new_lines__lte', models.F('lines')), ('status', 'Imported'), ('new_lines__isnull', False)), models.Q(models.Q(('status', 'Imported'), _negated=True), ('new_lines__isnull', True)), _connector='OR'), name='statement_file_new_lines'),
        ),
        migrations.AddIndex(
            model_name='statementline',
            index=models.Index(condition=models.Q(('status', 'Open')), fields=['booked_on'], name='statement_line_open'),
        ),
        migrations.AddIndex(
            model_name='statementline',
            index=models.Index(fields=['-booked_on', '-id'], name='statement_line_listed'),
        ),
        migrations.AddIndex(
            model_name='statementline',
            index=models.Index(fields=['amount', 'currency', '-id'], name='statement_line_amount_index'),
        ),
        migrations.AddConstraint(
            model_name='statementline',
            constraint=models.UniqueConstraint(fields=('account', 'booked_on', 'amount', 'bank_reference', 'number'), name='statement_line_once'),
        ),
        migrations.AddConstraint(
            model_name='statementline',
            constraint=models.UniqueConstraint(fields=('deposit',), name='statement_line_of_deposit_once'),
        ),
        migrations.AddConstraint(
            model_name='statementline',
            constraint=models.UniqueConstraint(fields=('movement', 'currency'), name='statement_line_of_movement_once'),
        ),
        migrations.AddConstraint(
            model_name='statementline',
            constraint=models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='statement_line_amount'),
        ),
        migrations.AddConstraint(
            model_name='statementline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['Open', 'Set aside']), ('deposit__isnull', True), ('movement__isnull', True)), models.Q(('status__in', ['Proposed', 'Matched']), models.Q(models.Q(('deposit__isnull', False), ('movement__isnull', True)), models.Q(('deposit__isnull', True), ('movement__isnull', False)), _connector='OR')), _connector='OR'), name='statement_line_has_one_match'),
        ),
        migrations.AddConstraint(
            model_name='statementline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'Set aside'), models.Q(('reason', ''), _negated=True)), models.Q(models.Q(('status', 'Set aside'), _negated=True), ('reason', '')), _connector='OR'), name='statement_line_set_aside_with_reason'),
        ),
        migrations.AddConstraint(
            model_name='statementline',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('handled_at__isnull', True), ('handled_by__isnull', True), ('status', 'Open')), models.Q(models.Q(('status', 'Open'), _negated=True), ('handled_at__isnull', False), ('handled_by__isnull', False)), _connector='OR'), name='statement_line_decided'),
        ),
    ]
