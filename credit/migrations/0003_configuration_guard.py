"""What PostgreSQL enforces of configurations' states, decisions and limits."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("credit", "0002_functions")]

    operations = sqlfiles.install("credit", "configuration_guard")
