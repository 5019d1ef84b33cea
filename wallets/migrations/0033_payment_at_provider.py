"""Index of the provider's references of payments, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0032_deposit_payer_account")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(fields=["provider_reference"], name="payment_at_provider"),
        ),
    ]
