"""Index of the amounts of deposits, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0030_deposit_of_owner")]

    operations = [
        AddIndexConcurrently(
            model_name="deposit",
            index=models.Index(fields=["amount", "currency", "-id"], name="deposit_amount"),
        ),
    ]
