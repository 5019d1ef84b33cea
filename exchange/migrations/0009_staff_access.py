"""The second factor of staff, and what happened to anybody's access."""

import django.db.models.deletion
import exchange.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0008_words_in_lists'),
    ]

    operations = [
        migrations.CreateModel(
            name='SecondFactor',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='second_factor', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('secret_encrypted', models.TextField()),
                ('last_step', models.BigIntegerField()),
                ('set_up_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AddField(
            model_name='staffuser',
            name='session_epoch',
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.CreateModel(
            name='AccessRecord',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('event', models.CharField(choices=[('signed_in', 'Signed in'), ('signed_out', 'Signed out'), ('refused', 'Refused'), ('locked_out', 'Locked out'), ('confirmed', 'Entered a code again'), ('second_factor_set_up', 'Set up a second factor'), ('second_factor_reset', 'Second factor reset'), ('recovery_code_used', 'Used a recovery code'), ('recovery_codes_renewed', 'Made new recovery codes'), ('password_changed', 'Password changed'), ('invited', 'Invited'), ('role_changed', 'Role changed'), ('details_changed', 'Details changed'), ('deactivated', 'Deactivated'), ('activated', 'Activated')], max_length=30)),
                ('address', models.CharField(blank=True, max_length=60)),
                ('details', models.CharField(blank=True, max_length=300)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='access_records', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['user', '-id'], name='access_record_user')],
            },
        ),
        migrations.CreateModel(
            name='RecoveryCode',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('code_hash', models.CharField(max_length=64)),
                ('used_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('user', 'code_hash'), name='recovery_code_once')],
            },
        ),
        migrations.RunSQL(
            "SELECT make_append_only('exchange_accessrecord')", migrations.RunSQL.noop
        ),
    ]
