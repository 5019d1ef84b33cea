"""Index of payments by the folded words of the payer's name; built while the service runs."""

import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations

import exchange.core.words


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0050_charged_back_lines"), ("exchange", "0026_fold_text")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=django.contrib.postgres.indexes.GinIndex(
                exchange.core.words.FoldedWords("payer_name"), name="payment_payer_folded"
            ),
        ),
    ]
