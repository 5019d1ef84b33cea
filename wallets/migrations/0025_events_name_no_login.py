"""Events about withdrawals say who acted as a role and an opaque id."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0024_staff_public_id"),
        ("wallets", "0024_deposits_cancelled"),
    ]

    operations = sqlfiles.install("wallets", "withdrawal_events")
