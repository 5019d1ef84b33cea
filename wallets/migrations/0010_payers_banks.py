"""The index of payers' names with those of their banks; built while the service runs."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations

from exchange.core.words import FoldedWords


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0009_bank_names")]

    operations = [
        AddIndexConcurrently(
            "payment",
            GinIndex(FoldedWords("payer_name", "payer_bank"), name="payment_payer_words"),
        ),
        RemoveIndexConcurrently("payment", "payment_payer_folded"),
    ]
