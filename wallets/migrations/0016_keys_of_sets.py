"""Withdrawals that go together share how their keys are claimed and kept with orders."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("exchange", "0017_keys_of_sets"),
        ("wallets", "0015_deposits_entered_again"),
    ]

    operations = sqlfiles.install("wallets", "request_withdrawal")
