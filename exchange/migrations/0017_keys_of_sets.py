"""Keys of requests that are carried out together, for withdrawals and orders alike."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0016_cheaper_trades")]

    operations = sqlfiles.install("exchange", "idempotency_sets")
