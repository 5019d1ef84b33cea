"""Index of the folded words of members, for searches; built while the service runs."""

import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations

import exchange.core.words


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0026_fold_text")]

    operations = [
        AddIndexConcurrently(
            model_name="member",
            index=django.contrib.postgres.indexes.GinIndex(
                exchange.core.words.FoldedWords("name", exchange.core.words.BeforeAt("email")),
                name="member_folded_words",
            ),
        ),
    ]
