"""Index of the external IDs of members, for searches; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("exchange", "0022_member_email")]

    operations = [
        AddIndexConcurrently(
            model_name="member",
            index=models.Index(
                condition=models.Q(("external_id", ""), _negated=True),
                fields=["external_id"],
                name="member_external",
            ),
        ),
    ]
