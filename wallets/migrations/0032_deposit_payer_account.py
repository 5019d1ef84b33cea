"""Index of the accounts that deposits came from, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0031_deposit_amount")]

    operations = [
        AddIndexConcurrently(
            model_name="deposit",
            index=models.Index(
                condition=models.Q(("payer_account", ""), _negated=True),
                fields=["payer_account"],
                name="deposit_payer_account",
            ),
        ),
    ]
