"""What is audited of orders; closing an order and completing a raise name their actor."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [("orders", "0003_lists_without_the_table"), ("exchange", "0010_audit")]

    operations = sqlfiles.install("orders", "close_order", "audited")
