"""An organisation uses a reference of withdrawals once; built while the service runs."""

from django.db import migrations, models

from exchange.core.concurrent_indexes import AddUniqueConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0014_withdrawal_references")]

    operations = [
        AddUniqueConcurrently(
            model_name="withdrawal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("client_reference__isnull", False)),
                fields=("client_reference", "organisation"),
                name="withdrawal_client_reference_once",
            ),
        ),
    ]
