"""Figures of the configuration with four eyes and an instant from which they are in force."""

from decimal import Decimal

import django.db.models.deletion
import exchange.ids
from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles


def name_internal_fees(apps, schema_editor):
    """Every key that the service reads is there; an internal fee of 0 is none."""
    alias = schema_editor.connection.alias
    configuration = apps.get_model("wallets", "Configuration")
    for currency in apps.get_model("exchange", "Currency").objects.using(alias).exclude(country=""):
        configuration.objects.using(alias).get_or_create(
            key=f"{currency.code}_INTERNAL_FEE",
            defaults={
                "value": Decimal(0),
                "description": "Internal fee shown on an organisation's withdrawal, in "
                + currency.code,
            },
        )


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0007_audit'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='configuration',
            options={'ordering': ['key'], 'permissions': [('propose_configuration', 'Can propose figures'), ('decide_configuration', 'Can approve and reject figures of others')], 'verbose_name': 'configuration key'},
        ),
        migrations.CreateModel(
            name='ConfigurationFigure',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('value', models.DecimalField(decimal_places=8, max_digits=30)),
                ('reason', models.CharField(max_length=300)),
                ('effective_from', models.DateTimeField(help_text='As proposed; null: when approved', null=True)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Taken back', 'Taken Back'), ('Withdrawn', 'Withdrawn')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision_note', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('in_force_from', models.DateTimeField(help_text='Of an approved one: as proposed, but never before its approval', null=True)),
                ('withdrawal_reason', models.CharField(blank=True, max_length=300)),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('configuration', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='figures', to='wallets.configuration')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawal_asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('withdrawn_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'figure',
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(models.F('configuration'), models.OrderBy(models.F('in_force_from'), descending=True), models.OrderBy(models.F('decided_at'), descending=True), condition=models.Q(('status', 'Approved')), include=('value',), name='figure_in_force'), models.Index(models.F('configuration'), models.OrderBy(models.F('created_at'), descending=True), name='figure_history')],
                'constraints': [models.CheckConstraint(condition=models.Q(('value__gte', 0)), name='figure_not_negative'), models.CheckConstraint(condition=models.Q(models.Q(('status__in', ['Approved', 'Withdrawn']), _negated=True), models.Q(('decided_by__isnull', False), ('in_force_from__isnull', False), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='figure_approved_by_another'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'Withdrawn'), _negated=True), models.Q(('withdrawal_asked_by__isnull', False), ('withdrawn_by__isnull', False), models.Q(('withdrawn_by', models.F('withdrawal_asked_by')), _negated=True)), _connector='OR'), name='figure_withdrawn_by_two'), models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('configuration',), name='figure_pending_once')],
            },
        ),
        migrations.RunPython(name_internal_fees, migrations.RunPython.noop),
        *sqlfiles.install("wallets", "configuration_figures", "withdrawal_figures"),
    ]
