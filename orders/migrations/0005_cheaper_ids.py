"""Ids of an order made for less. (Audited again: replacing the function drops what it says.)"""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("orders", "0004_audit")]

    operations = sqlfiles.install("orders", "place_order", "audited")
