"""Index of what owners owe; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0025_treasury")]

    operations = [
        AddIndexConcurrently(
            model_name="account",
            index=models.Index(
                condition=models.Q(("kind", "receivable")),
                fields=["asset"],
                name="account_receivable",
            ),
        ),
    ]
