"""Index of payments by the day they were made; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0037_payment_breaks")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(fields=["paid_at"], name="payment_paid_on"),
        ),
    ]
