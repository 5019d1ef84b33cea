"""Index of payments by their reference, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0044_payment_payer")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(fields=["tx_ref", "-id"], name="payment_reference"),
        ),
    ]
