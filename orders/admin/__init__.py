"""The admin of trading: tokens with their endings, orders and trades. Pages call services."""

from orders.admin import orders, tokens, trades

__all__ = ["orders", "tokens", "trades"]
