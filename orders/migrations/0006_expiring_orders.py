"""The index of orders that expire, built while orders are placed."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("orders", "0005_order_kinds")]

    operations = [
        AddIndexConcurrently(
            model_name="order",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False), ("status", "Active")),
                fields=["expires_at"],
                name="order_expiring",
            ),
        ),
    ]
