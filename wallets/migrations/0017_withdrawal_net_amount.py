"""Index of the net amounts of withdrawals, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0016_withdrawal_amount")]

    operations = [
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(fields=["disburse_amount"], name="withdrawal_net_amount"),
        ),
    ]
