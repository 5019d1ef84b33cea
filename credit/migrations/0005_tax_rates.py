"""Rates of tax on income."""

import django.db.models.deletion
import django.db.models.functions.comparison
import exchange.core.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('credit', '0004_principal'),
        ('exchange', '0006_tax_facts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                'indexes': [models.Index(condition=models.Q(('status', 'Approved')), fields=['type', 'issuer_country', 'owner_id'], name='tax_rate_effective')],
                'constraints': [models.CheckConstraint(condition=models.Q(('percent__gte', 0), ('percent__lte', 100)), name='tax_rate_percent'), models.CheckConstraint(condition=models.Q(models.Q(('member', None), ('organisation', None), ('valid_until', None)), models.Q(('holder_kind', ''), ('organisation__isnull', False), ('residence', ''), ('valid_until__gte', models.F('valid_from'))), _connector='OR'), name='tax_rate_of_one_owner_ends'), models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('type', 'issuer_country', 'holder_kind', 'residence', 'owner_id'), name='tax_rate_pending_once', nulls_distinct=False)],
            },
        ),
    ]
