"""Registers `orders` with Django, and says what SQL it installs."""

from exchange.core import sqlfiles


class OrdersConfig(sqlfiles.SqlAppConfig):
    name = "orders"
    verbose_name = "Orders"
    sql_parts = (
        "order_types",
        "order_guard",
        "order_changes",
        "order_state",
        "order_rounding",
        "enter_orders",
        "match_order",
        "write_order",
        "settle_order",
        "close_order",
        "transfer_rules",
        "audited",
    )
    stored_documents = ("ORDER", "TRADE")
