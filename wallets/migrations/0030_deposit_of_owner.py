"""Index of the deposits of an owner, for pages; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0026_receivable_index")]

    operations = [
        AddIndexConcurrently(
            model_name="deposit",
            index=models.Index(fields=["owner_id", "-created_at"], name="deposit_of_owner"),
        ),
    ]
