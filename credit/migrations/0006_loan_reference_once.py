"""An organisation uses a reference of loans once; built while the service runs."""

from django.db import migrations, models

from exchange.core.concurrent_indexes import AddUniqueConcurrently


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("credit", "0005_own_references")]

    operations = [
        AddUniqueConcurrently(
            model_name="loan",
            constraint=models.UniqueConstraint(
                condition=models.Q(("client_reference__isnull", False)),
                fields=("client_reference", "organisation"),
                name="loan_client_reference_once",
            ),
        ),
    ]
