"""Index of the amounts of transfers, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0033_payment_at_provider")]

    operations = [
        AddIndexConcurrently(
            model_name="wallettransfer",
            index=models.Index(fields=["amount", "currency", "-id"], name="wallet_transfer_amount"),
        ),
    ]
