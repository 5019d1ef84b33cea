"""Index of the references of failed deposits, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0035_conversion_amount")]

    operations = [
        AddIndexConcurrently(
            model_name="deposit",
            index=models.Index(
                condition=models.Q(("status", "Failed")),
                fields=["reference"],
                name="deposit_failed_reference",
            ),
        ),
    ]
