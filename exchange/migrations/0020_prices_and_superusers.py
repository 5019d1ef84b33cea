"""Prices change with a quote only; the service's login makes no superuser."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("exchange", "0019_one_function_for_events")]

    operations = sqlfiles.install("exchange", "price_guard", "superuser_guard")
