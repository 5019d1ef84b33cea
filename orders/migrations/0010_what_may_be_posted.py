"""What transfers of orders, trades and raises must be justified by."""

from django.db import migrations

from exchange import sqlfiles


class Migration(migrations.Migration):
    dependencies = [
        ("orders", "0009_rounding"),
        ("wallets", "0019_what_may_be_posted"),
    ]

    operations = sqlfiles.install("orders", "transfer_rules")
