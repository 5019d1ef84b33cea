"""Index of the transfers since the checkpoint; built while the service runs."""

from django.contrib.postgres.indexes import BrinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0010_checkpoint")]

    operations = [
        AddIndexConcurrently(
            model_name="transfer",
            index=BrinIndex(
                autosummarize=True,
                fields=["created_txid"],
                name="transfer_txid",
                pages_per_range=32,
            ),
        ),
    ]
