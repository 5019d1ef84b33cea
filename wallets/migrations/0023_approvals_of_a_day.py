"""How many must approve is decided over 24 hours; figures for organisations and for one person."""

from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles

# The first figures: so many times what takes two people at once.
KEYS = {
    "SECOND_APPROVAL_DAILY_ABOVE_": (
        20,
        "From this amount asked for by an organisation and its members in 24 hours, in {},"
        " two different people must approve",
    ),
    "SOLE_APPROVALS_DAILY_": (10, "What one person may approve alone within 24 hours, in {}"),
}


def seed(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for key, (times, description) in KEYS.items():
            cursor.execute(
                "INSERT INTO wallets_configuration (key, value, description, updated_at)"
                " SELECT %s || code, %s * figure_in_force('SECOND_APPROVAL_ABOVE_' || code),"
                " replace(%s, '{}', code), now() FROM exchange_currency"
                " WHERE figure_in_force('SECOND_APPROVAL_ABOVE_' || code) IS NOT NULL"
                " ON CONFLICT (key) DO NOTHING",
                [key, times, description],
            )


class Migration(migrations.Migration):

    dependencies = [
        ("wallets", "0022_return_approved"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(seed, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='withdrawal',
            index=models.Index(condition=models.Q(('first_approver__isnull', False)), fields=['first_approver', 'actioned_on'], name='withdrawal_approved_by'),
        ),
        *sqlfiles.install("wallets", "approval_requirement", "withdrawal_transitions"),
    ]
