"""Breaks: differences with the provider that stay open until two people explain them.

Of earlier reports, each difference that the newest one about its day shows becomes an open break, and
so does each move of the gap that was taken for expected afterwards without anybody explaining it.
"""

import django.db.models.deletion
import django.db.models.lookups
import exchange.ids
from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles

_OPEN_BREAKS = """
UPDATE wallets_reconciliation SET balances_at = created_at WHERE status IN ('Agrees', 'Differs');
WITH complete AS (
    SELECT id, day, finished_at, provisional,
        row_number() OVER (PARTITION BY day ORDER BY created_at DESC, id DESC) AS place
    FROM wallets_reconciliation WHERE status IN ('Agrees', 'Differs') AND NOT provisional
)
INSERT INTO wallets_reconciliationbreak (
    id, day, kind, currency_id, our_amount, their_amount, difference, our_text, their_text,
    reference, provider_id, withdrawal_id, status, first_report_id, latest_report_id, shown,
    created_at)
SELECT l.id, r.day,
    CASE WHEN l.kind = 'Balance' AND l.their_amount IS NULL THEN 'No balance named' ELSE l.kind END,
    l.currency_id, l.our_amount, l.their_amount,
    CASE WHEN num_nonnulls(l.our_amount, l.their_amount) > 0
        THEN coalesce(l.their_amount, 0) - coalesce(l.our_amount, 0) END,
    l.our_text, l.their_text, l.reference, l.provider_id, l.withdrawal_id, 'Open', r.id, r.id, true,
    now()
FROM wallets_reconciliationline l JOIN wallets_reconciliation r ON r.id = l.report_id
WHERE l.off AND CASE WHEN l.kind = 'Balance' AND l.their_amount IS NOT NULL
    THEN r.finished_at <= (SELECT max(finished_at) FROM complete)
    ELSE r.id IN (SELECT id FROM complete WHERE place = 1) END;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0025_rotated_to'),
        ('wallets', '0026_flags_of_decisions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='reconciliation',
            name='balances_at',
            field=models.DateTimeField(help_text='When the balances were read', null=True),
        ),
        migrations.AddField(
            model_name='reconciliation',
            name='provisional',
            field=models.GeneratedField(db_persist=True, expression=django.db.models.lookups.GreaterThanOrEqual(models.F('day'), models.Func(models.F('created_at'), output_field=models.DateField(), template="(%(expressions)s AT TIME ZONE 'UTC')::date")), output_field=models.BooleanField()),
        ),
        migrations.AlterField(
            model_name='reconciliationline',
            name='kind',
            field=models.CharField(choices=[('In flight', 'In Flight'), ('Completed', 'Completed'), ('Failed', 'Failed'), ('Charges', 'Charges'), ('Clearing at the start of the day', 'Opening'), ('Deposits', 'Deposits'), ('Payouts', 'Payouts'), ('Charges of the provider', 'Charged'), ('Reversals', 'Reversals'), ('Other movements', 'Other'), ('Clearing at the end of the day', 'Closing'), ('Balance now', 'Balance'), ('Expected gap', 'Expected'), ('Gap nobody explains', 'Gap'), ('Missing at the provider', 'Missing'), ('Unknown to us', 'Unknown'), ('Amount', 'Amount'), ('Currency', 'Currency'), ('Account', 'Account'), ('Status', 'Status'), ('Charge', 'Fee'), ('Balance', 'Float'), ('No balance named', 'No Balance')], max_length=40),
        ),
        migrations.CreateModel(
            name='ReconciliationBreak',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
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
                ('first_report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.reconciliation')),
                ('latest_report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.reconciliation')),
                ('owner', models.ForeignKey(help_text='Who looks into it', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawal', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallets.withdrawal')),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('decide_break', 'Can explain and close differences with the provider')],
            },
        ),
        migrations.CreateModel(
            name='BreakExplanation',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('explanation', models.CharField(max_length=500)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('subject', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='explanations', to='wallets.reconciliationbreak')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'abstract': False,
            },
        ),
        migrations.AddIndex(
            model_name='reconciliationbreak',
            index=models.Index(fields=['day'], name='break_of_day'),
        ),
        migrations.AddIndex(
            model_name='reconciliationbreak',
            index=models.Index(condition=models.Q(('status', 'Closed'), _negated=True), fields=['day'], name='break_open_of_day'),
        ),
        migrations.AddConstraint(
            model_name='breakexplanation',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('subject',), name='explanation_pending_once'),
        ),
        migrations.AddConstraint(
            model_name='breakexplanation',
            constraint=models.CheckConstraint(condition=models.Q(('explanation__regex', '\\S')), name='explanation_in_writing'),
        ),
        # Parameters None: the text is sent as it is.
        migrations.RunSQL([(_OPEN_BREAKS, None)], migrations.RunSQL.noop),
        *sqlfiles.install("wallets", "reconciliation_breaks"),
    ]
