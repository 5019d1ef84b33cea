"""Index of the amounts of conversions, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0034_wallet_transfer_amount")]

    operations = [
        AddIndexConcurrently(
            model_name="conversion",
            index=models.Index(fields=["amount", "from_currency", "-id"], name="conversion_amount"),
        ),
    ]
