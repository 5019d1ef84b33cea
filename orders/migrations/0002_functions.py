"""What PostgreSQL enforces of orders and trades, and the functions that place and close orders."""

from django.db import migrations

from exchange import sqlfiles
from orders import payloads


class Migration(migrations.Migration):
    dependencies = [("orders", "0001_initial"), ("wallets", "0005_token_units")]

    operations = [
        *sqlfiles.install(
            "orders",
            "order_guard",
            "order_state",
            "order_types",
            "order_legs",
            "place_order",
            "match_order",
            "write_order",
            "write_orders",
            "settle_order",
            "close_order",
        ),
        payloads.ORDER.install(),
        payloads.TRADE.install(),
    ]
