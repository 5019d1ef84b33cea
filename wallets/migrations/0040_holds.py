"""Freezes of owners, and the proposals to lift them."""

import django.db.models.deletion
import django.db.models.functions.comparison
import exchange.core.ids
from django.conf import settings
from django.db import migrations, models

MEMBERS = """
ALTER TABLE wallets_freeze
    ADD CONSTRAINT freeze_member_of_organisation
    FOREIGN KEY (member_id, organisation_id) REFERENCES exchange_member (id, organisation_id)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0013_redirect_origins'),
        ('wallets', '0038_payment_paid_on'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Freeze',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('owner_id', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('member_id', 'organisation_id'), output_field=models.UUIDField())),
                ('reason', models.CharField(help_text='Never sent to the organisation', max_length=500)),
                ('created_at', models.DateTimeField()),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
                ('currency', models.ForeignKey(blank=True, help_text='Empty: every currency and all units', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.currency')),
                ('member', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='exchange.member')),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='exchange.organisation')),
                ('placed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('place_freeze', 'Can freeze members and wallets'), ('lift_freeze', 'Can propose and confirm to lift freezes')],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='FreezeLift',
            fields=[
                ('id', models.UUIDField(default=exchange.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Reason of the rejection', max_length=300)),
                ('explanation', models.CharField(max_length=500)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('freeze', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lifts', to='wallets.freeze')),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'abstract': False,
                'default_permissions': ('view',),
            },
        ),
        migrations.AddIndex(
            model_name='freeze',
            index=models.Index(fields=['owner_id', '-created_at', '-id'], name='freeze_of_owner'),
        ),
        migrations.AddConstraint(
            model_name='freeze',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('owner_id', 'currency'), name='freeze_active_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='freezelift',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ['Pending', 'Approved'])), fields=('freeze',), name='freeze_lift_once'),
        ),
        migrations.AddIndex(
            model_name='freezelift',
            index=models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='freeze_lift_pending'),
        ),
        migrations.RunSQL(MEMBERS, migrations.RunSQL.noop),
    ]
