"""Register `orders` with Django and declare the SQL it installs."""

from exchange.core import sqlfiles


class OrdersConfig(sqlfiles.SqlAppConfig):
    name = "orders"
    verbose_name = "Orders"
    commands = ("book.PlaceOrder",)
    sql_parts = (
        "book/order_types",
        "book/order_guard",
        "book/book_sequence",
        "book/fills",
        "book/order_changes",
        "book/order_state",
        "book/order_rounding",
        "book/enter_orders",
        "book/amend_order",
        "book/preview_order",
        "book/match_order",
        "book/write_order",
        "book/settle_order",
        "book/close_order",
        "book/cancel_orders",
        "book/transfer_rules",
        "book/audited",
        "market/candles",
        "listings/lifecycle",
        "listings/terms",
        "listings/token_events",
    )
    stored_documents = ("book.ORDER", "trades.TRADE")
