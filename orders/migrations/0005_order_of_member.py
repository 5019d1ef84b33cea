"""Index of the orders of a member, for pages; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("orders", "0004_order_reference_once")]

    operations = [
        AddIndexConcurrently(
            model_name="order",
            index=models.Index(
                condition=models.Q(("member__isnull", False)),
                fields=["member", "-created_at", "-id"],
                name="order_of_member",
            ),
        ),
    ]
