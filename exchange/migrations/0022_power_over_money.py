"""Who gives power over money: proposals of access, and since when a person's access is undisturbed."""

import django.db.models.deletion
import django.utils.timezone
import exchange.ids
from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles

# Of the people who are there: when their access was last given or reset, as far as it is on record.
SINCE = """
UPDATE exchange_staffuser u SET access_changed_at = greatest(u.date_joined, (
    SELECT max(r.at) FROM exchange_accessrecord r WHERE r.user_id = u.id
        AND r.event IN ('invited', 'role_changed', 'second_factor_reset', 'activated')))
"""

class Migration(migrations.Migration):

    dependencies = [
        ("exchange", "0021_two_person_approval"),
        ('oauth2_provider', '0022_refreshtoken_token_family_index'),
    ]

    operations = [
        migrations.AddField(
            model_name='staffuser',
            name='access_changed_at',
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False),
        ),
        migrations.AlterField(
            model_name='accessrecord',
            name='event',
            field=models.CharField(choices=[('signed_in', 'Signed in'), ('signed_out', 'Signed out'), ('refused', 'Refused'), ('locked_out', 'Locked out'), ('unlocked', 'Unlocked'), ('confirmed', 'Entered a code again'), ('second_factor_set_up', 'Set up a second factor'), ('second_factor_reset', 'Second factor reset'), ('recovery_code_used', 'Used a recovery code'), ('recovery_codes_renewed', 'Made new recovery codes'), ('password_changed', 'Password changed'), ('invited', 'Invited'), ('role_changed', 'Role changed'), ('details_changed', 'Details changed'), ('deactivated', 'Deactivated'), ('activated', 'Activated'), ('break_glass', 'Break-glass access')], max_length=30),
        ),
        migrations.RunSQL(SINCE, migrations.RunSQL.noop),
        migrations.CreateModel(
            name='AccessProposal',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was rejected', max_length=300)),
                ('kind', models.CharField(choices=[('invite_person', 'Invite a person'), ('reset_password', 'Reset a password'), ('reset_second_factor', 'Reset a second factor'), ('change_role', 'Change a role'), ('activate_person', 'Activate a person'), ('issue_key', 'Issue an API key'), ('rotate_key', 'Rotate an API key'), ('issue_token', 'Issue an access token'), ('activate_organisation', 'Activate an organisation')], max_length=30)),
                ('payload', models.JSONField(default=dict)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Withdrawn', 'Withdrawn')], default='Pending', max_length=10)),
                ('break_glass', models.BooleanField(default=False)),
                ('collected_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('key', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ('organisation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='exchange.organisation')),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('decide_accessproposal', 'Can confirm and reject access proposals'), ('restore_administrator', 'Can propose to restore the access of administrators')],
                'abstract': False,
                'default_permissions': ('view',),
                'indexes': [models.Index(condition=models.Q(('status', 'Pending')), fields=['created_at'], name='access_proposal_pending')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'Approved'), _negated=True), ('break_glass', True), models.Q(('decided_by__isnull', False), ('proposed_by__isnull', False)), _connector='OR'), name='access_proposal_approved_by_two'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'Approved'), _negated=True), ('decided_by__isnull', True), ('person__isnull', True), models.Q(('decided_by', models.F('person')), _negated=True), _connector='OR'), name='access_proposal_not_about_oneself'), models.CheckConstraint(condition=models.Q(('collected_at__isnull', True), ('status', 'Approved'), _connector='OR'), name='access_proposal_collected_once_approved'), models.UniqueConstraint(condition=models.Q(('person__isnull', False), ('status', 'Pending')), fields=('kind', 'person'), name='access_proposal_pending_once')],
            },
        ),
        *sqlfiles.install("exchange", "access_guards"),
    ]
