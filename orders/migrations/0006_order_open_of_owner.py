"""Index of the open orders of an organisation, for pages; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("orders", "0005_order_of_member")]

    operations = [
        AddIndexConcurrently(
            model_name="order",
            index=models.Index(
                condition=models.Q(("status", "Active")),
                fields=["organisation", "-created_at", "-id"],
                name="order_open_of_owner",
            ),
        ),
    ]
