"""Ids of an order made for less."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("orders", "0004_audit")]

    operations = sqlfiles.install("orders", "enter_orders")
