"""An index of bank names, for the search of the back office; built while the service runs."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("wallets", "0008_account_verifications")]

    operations = [
        AddIndexConcurrently(
            "bankaccount", models.Index(fields=["name", "-id"], name="bank_name")
        ),
    ]
