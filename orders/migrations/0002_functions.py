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
            "order_changes",
            "order_state",
            "order_types",
            "order_legs",
            "order_rounding",
            "enter_orders",
            "match_order",
            "write_order",
            "settle_order",
            "close_order",
        ),
        payloads.ORDER.install(),
        payloads.TRADE.install(),
    ]
