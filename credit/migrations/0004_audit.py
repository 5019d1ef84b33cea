"""What is audited of credit."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("credit", "0003_configuration_guard"), ("exchange", "0010_audit")]

    operations = sqlfiles.install("credit", "audited")
