"""Tries to sign in are counted in a table, for all processes and across restarts."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0014_no_history_library'),
    ]

    operations = [
        migrations.CreateModel(
            name='SignInTries',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('tries', models.PositiveIntegerField()),
                ('ends_at', models.DateTimeField()),
                ('locked_until', models.DateTimeField(null=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.AlterField(
            model_name='accessrecord',
            name='event',
            field=models.CharField(choices=[('signed_in', 'Signed in'), ('signed_out', 'Signed out'), ('refused', 'Refused'), ('locked_out', 'Locked out'), ('unlocked', 'Unlocked'), ('confirmed', 'Entered a code again'), ('second_factor_set_up', 'Set up a second factor'), ('second_factor_reset', 'Second factor reset'), ('recovery_code_used', 'Used a recovery code'), ('recovery_codes_renewed', 'Made new recovery codes'), ('password_changed', 'Password changed'), ('invited', 'Invited'), ('role_changed', 'Role changed'), ('details_changed', 'Details changed'), ('deactivated', 'Deactivated'), ('activated', 'Activated')], max_length=30),
        ),
    ]
