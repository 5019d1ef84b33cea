"""The circuit breaker of payouts."""

import django.db.models.deletion
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ("wallets", "0020_two_person_approval"),
    ]

    operations = [
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
        migrations.RunSQL(
            "INSERT INTO wallets_payoutcircuit (id, state, failures, failed_trials, reason,"
            " updated_at) VALUES (1, 'Closed', 0, 0, '', now())",
            reverse_sql=migrations.RunSQL.noop,
        ),
        *sqlfiles.install("wallets", "payout_circuit"),
    ]
