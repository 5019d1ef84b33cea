"""Index of the amounts of withdrawals, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0015_withdrawal_reference_once")]

    operations = [
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(fields=["amount"], name="withdrawal_amount"),
        ),
    ]
