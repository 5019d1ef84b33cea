"""An organisation uses a reference of orders once; built while the service runs."""

from django.db import migrations, models

from exchange.core.concurrent_indexes import AddUniqueConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("orders", "0003_own_references")]

    operations = [
        AddUniqueConcurrently(
            model_name="order",
            constraint=models.UniqueConstraint(
                condition=models.Q(("client_reference__isnull", False)),
                fields=("client_reference", "organisation"),
                name="order_client_reference_once",
            ),
        ),
    ]
