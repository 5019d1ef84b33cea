"""Legs are checked against transfers and assets once for each; documents are made for less."""

from django.db import migrations

from exchange import sqlfiles
from wallets import payloads


class Migration(migrations.Migration):
    dependencies = [("wallets", "0016_keys_of_sets")]

    operations = [
        *sqlfiles.install("wallets", "transfer_guard"),
        payloads.BANK.install(rewrite=False),
        payloads.WITHDRAWAL.install(rewrite=False),
    ]
