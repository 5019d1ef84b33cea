"""Add proposals of new terms of tokens."""

import django.db.models.deletion
import exchange.core.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0003_issue_price_of_open_raises'),
        ('orders', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='TermsProposal',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('version', models.IntegerField()),
                ('issue_price', models.DecimalField(decimal_places=8, max_digits=38)),
                ('interest', models.DecimalField(decimal_places=4, help_text='Percent a year', max_digits=12)),
                ('tenor', models.IntegerField(help_text='Days')),
                ('payout_frequency', models.CharField(blank=True, choices=[('', 'None'), ('Monthly', 'Monthly'), ('Quarterly', 'Quarterly'), ('Semi-Annually', 'Semi-Annually'), ('Annually', 'Annually'), ('At Maturity', 'At Maturity')], max_length=20)),
                ('completed_at', models.DateTimeField(blank=True, null=True)),
                ('explanation', models.CharField(max_length=300)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='terms_proposals', to='exchange.token')),
            ],
            options={
                'verbose_name_plural': 'terms proposals',
                'ordering': ['-created_at', '-id'],
                'permissions': [('decide_terms', 'Can approve and reject new terms of tokens')],
                'abstract': False,
                'default_permissions': ('view',),
                'constraints': [models.CheckConstraint(condition=models.Q(('interest__gte', 0), ('interest__lte', 100), ('issue_price__gt', 0), ('tenor__gte', 0), ('version__gt', 1)), name='terms_proposal_in_range'), models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('token',), name='terms_proposal_pending_once'), models.UniqueConstraint(condition=models.Q(('status', 'Approved')), fields=('token', 'version'), name='terms_proposal_version_once')],
            },
        ),
    ]
